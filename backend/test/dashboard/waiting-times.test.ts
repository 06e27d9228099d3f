import { describe, expect, it } from '@jest/globals'
import type { Call, WaitingFor } from '@outdial/contract'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { readStories } from '../../dashboard/stories/read-story.ts'
import type { Actor } from '../../platform/core/actor.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { formatDate } from '../../platform/views/format.ts'
import { setAgentStatus } from '../../queue/agents/agents.ts'
import { addToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { pauseCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { retirePhoneNumber } from '../../queue/phone-numbers/phone-numbers.ts'
import { realConfig, realLease, setRules, type TypedRules } from '../support/call-rules.ts'
import { completeDialedCall, dialCall, getCall, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber, noRetry, seedCampaign } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

// The clock starts on Monday, May 4, 2026, at 11:00 AM in New York, which is the workspace's time zone.

const world = useServiceWorld()
const realDeps = () => ({ ...world.service.deps, config: realConfig })
type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const london = { time_zone: 'Europe/London' }
const workdays = { days: ['mon' as const, 'tue' as const], start: '09:00', end: '15:00' }

/** Queues two calls while the rules allow only one, and returns the second. */
async function stopByLimit({ seed }: Owner, rules: TypedRules): Promise<Call> {
  await setRules(world.service.deps, seed, rules)
  const first = await seedCall(realDeps(), seed, freshNumber())
  const second = await seedCall(realDeps(), seed, freshNumber())
  await dialCall(realDeps(), seed, first.id)
  await waitUntil(async () => {
    await claimAndSettle(realDeps(), realLease, 10)
    return (await getCall(realDeps(), seed, second.id)).waiting_for !== null
  })
  return second
}

/** For each reason, queues a call that waits for it. Where possible, the call still waits after its stored time has passed. */
const waitFor: Record<WaitingFor, (user: Owner) => Promise<Call>> = {
  schedule: ({ seed }) =>
    seedCall(world.service.deps, seed, freshNumber(), { scheduled_at: '2026-05-06T13:00:00Z' }),
  calling_hours: async ({ seed }) => {
    const { deps } = world.service
    const campaignId = await seedCampaign(deps, { ...seed, callingHours: workdays })
    return seedCall(deps, seed, freshNumber(), { campaign_id: campaignId, ...london })
  },
  concurrency: async ({ seed }) => {
    const { deps } = world.service
    const campaignId = await seedCampaign(deps, { ...seed, maxConcurrentCalls: 1 })
    const first = await seedCall(deps, seed, freshNumber(), { campaign_id: campaignId })
    const second = await seedCall(deps, seed, freshNumber(), { campaign_id: campaignId })
    await dialCall(deps, seed, first.id)
    return second
  },
  frequency: async ({ seed }) => {
    const { deps } = world.service
    const number = freshNumber()
    await setRules(deps, seed, { max_attempts_per_day: '1' })
    const campaignId = await seedCampaign(deps, { ...seed, retry: noRetry })
    const { id } = await seedCall(realDeps(), seed, number, { campaign_id: campaignId })
    await completeDialedCall(realDeps(), seed, id, emptyResult('no_answer', 'ring_timeout'))
    return seedCall(realDeps(), seed, number, { campaign_id: campaignId })
  },
  number_limit: (user) => stopByLimit(user, { max_attempts_per_own_number: '1' }),
  minutes_limit: (user) => stopByLimit(user, { max_minutes_per_month: '30' }),
  campaign_paused: async ({ seed }) => {
    const { deps } = world.service
    await pauseCampaign(deps, seed.workspaceId, seed.campaignId)
    return seedCall(deps, seed, freshNumber())
  },
  agent_not_live: async ({ seed }) => {
    const { deps } = world.service
    await setAgentStatus(deps, seed.workspaceId, seed.agentId, 'paused')
    return seedCall(deps, seed, freshNumber())
  },
  number_not_active: async ({ seed }) => {
    const { deps } = world.service
    await retirePhoneNumber(deps, seed.workspaceId, seed.phoneNumberId)
    return seedCall(deps, seed, freshNumber())
  },
  retry: async ({ seed }) => {
    const { deps } = world.service
    const retry = { max_attempts: 2, delay_minutes: 60, on: ['busy' as const] }
    const campaignId = await seedCampaign(deps, { ...seed, retry })
    const call = await seedCall(deps, seed, freshNumber(), { campaign_id: campaignId })
    await completeDialedCall(deps, seed, call.id, emptyResult('busy', 'line_busy'))
    return call
  },
}

const pagesOf = ({ id, campaign_id, contact }: Call) => [
  `/calls/${id}`,
  '/calls?status=queued',
  `/campaigns/${campaign_id}`,
  `/contacts/${contact.id}`,
  '/overview',
]

/** Matches a text on a page that promises a time, for example "not before Wed 9:00 AM". */
const promise =
  /(not before|Next attempt(?: at)?:?|Scheduled for|Scheduled time|Calling hours|Retry delay|Called as often as allowed|The limit ends:|(?:Day's calls|Month's minutes) used up) ((?:\w{3}(?: \d+,)? )?\d+:\d\d [AP]M)/g

describe('a page about a waiting call', () => {
  it.each([
    ['schedule', ['Wed 9:00 AM', 'May 6, 9:00 AM']],
    ['calling_hours', ['Tue 9:00 AM', 'Tue 4:00 AM', 'May 5, 4:00 AM']],
    ['retry', [expect.stringMatching(/^11:\d\d AM$/)]],
    ['concurrency', []],
    ['frequency', [expect.stringMatching(/ 11:\d\d AM$/)]],
    ['number_limit', ['Tue 12:00 AM', 'May 5, 12:00 AM']],
    // The latest time at which the call in progress ends. Until then, it reserves the remaining minutes.
    ['minutes_limit', [expect.stringMatching(/11:\d\d AM$/)]],
    ['campaign_paused', []],
    ['agent_not_live', []],
    ['number_not_active', []],
  ] satisfies [WaitingFor, unknown[]][])(
    "shows the time of the next attempt only if it's certain (reason to wait: %s)",
    async (reason, times) => {
      const user = await seedSignedInOwner(world.service)
      const call = await waitFor[reason](user)
      world.service.deps.clock.advance(minuteMs)
      const { waiting_for, next_attempt_at } = await getCall(world.service.deps, user.seed, call.id)
      expect(waiting_for).toBe(reason)
      for (const path of pagesOf(call)) {
        const { text } = await user.open(path)
        const shown = [...text.matchAll(promise)].map(([, , time]) => time)
        for (const time of shown) expect([path, times]).toEqual([path, expect.arrayContaining([time])])
        expect([path, shown.length > 0]).toEqual([path, times.length > 0])
      }
      // The API returns the stored time anyway.
      expect(next_attempt_at).not.toBeNull()
    },
  )
})

it("says on each page when a call to another time zone can be placed, first in the contact's time zone", async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await waitFor.calling_hours(user)
  const next = 'Tue 9:00 AM in London (Tue 4:00 AM in New York)'
  const [page = '', ...lists] = pagesOf(call).slice(0, 4)
  const now = formatDate('minutes', world.service.deps.clock.now(), 'Europe/London')
  const sentence = `Not called yet. It's Mon ${now} for Maya (London, from the contact). Calling hours are Monday and Tuesday, 9:00 AM to 3:00 PM. Next attempt: ${next}.`
  expect((await user.open(page)).text).toContain(sentence)
  for (const path of lists) expect((await user.open(path)).text).toContain(next)
  const [story] = await readStories(world.service.deps, { callId: call.id })
  expect(story?.sentences[0]).toBe(sentence)
})

it("says whether a call waits for the campaign's limit or for another call to the same number, and how many are ahead", async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed, open } = user
  const { deps } = world.service
  const second = await waitFor.concurrency(user)
  const third = await seedCall(deps, seed, freshNumber(), { campaign_id: second.campaign_id })
  const limit = 'The campaign is at its limit of 1 concurrent call, so this call waits for others to end.'
  expect((await open(`/calls/${second.id}`)).text).toContain(limit)
  expect((await open(`/calls/${third.id}`)).text).toContain(
    `${limit} 1 call in this campaign is ahead of it.`,
  )

  const number = freshNumber()
  const first = await seedCall(deps, seed, number)
  await dialCall(deps, seed, first.id)
  const other = await seedCampaign(deps, { ...seed, name: 'Other' })
  const blocked = await seedCall(deps, seed, number, { campaign_id: other })
  expect((await open(`/calls/${blocked.id}`)).text).toContain(
    "Another call to the contact's number is in progress, so this call waits for that one to end.",
  )
  expect((await open('/calls?status=queued')).text).toContain('Another call to this number')
})

it.each([
  ['campaign_paused', 'Open campaign to resume it', /Resume<\/button>/],
  ['agent_not_live', 'Open agent to resume it', /Resume<\/button>/],
  ['number_not_active', 'Open phone numbers to activate it', /Activate<\/button>/],
] as const)(
  'if a call waits because of %s, links to the page where a user can change that',
  async (reason, label, button) => {
    const user = await seedSignedInOwner(world.service)
    const call = await waitFor[reason](user)
    const { html, text } = await user.open(`/calls/${call.id}`)
    expect(text).toMatch(/If it isn't (resumed|activated) by May 11, 2026, the call expires\./)
    const [, path = ''] = new RegExp(`<a href="/w/\\d+([^"]+)">${label}</a>`).exec(html) ?? []
    expect((await user.open(path)).html).toMatch(button)
  },
)

it('shows separate notices on Overview for a paused agent and a retired number that calls wait for', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { workspaceId, agentId, phoneNumberId } = user.seed
  await setAgentStatus(deps, workspaceId, agentId, 'paused')
  await retirePhoneNumber(deps, workspaceId, phoneNumberId)
  expect((await user.open('/overview')).html).not.toContain('Needs attention')
  await seedCall(deps, user.seed, freshNumber())
  await seedCall(deps, user.seed, freshNumber())
  const { text } = await user.open('/overview')
  expect(text.match(/The agent “Ava” is paused, and calls are waiting for it\. Open agent/g)).toHaveLength(1)
  expect(text).toContain(
    'The phone number “Sales” is retired, and calls are waiting for it. Open phone numbers',
  )
})

it("after a call is queued outside calling hours, shows the campaign's hours and the time of the next attempt", async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed, browser, open } = user
  const { deps } = world.service
  const { contact, id } = await seedCall(deps, seed, freshNumber(), london)
  await completeDialedCall(deps, seed, id, emptyResult('busy', 'line_busy'))
  const closed = await seedCampaign(deps, { ...seed, name: 'Closed', callingHours: workdays })
  const now = formatDate('minutes', deps.clock.now(), 'Europe/London')
  const form = await open(`/contacts/${contact.id}/call`)
  const { page } = await browser.press(form, 'Call now', { campaign_id: String(closed) })
  expect(page.text).toContain(
    `Call queued. It's Mon ${now} for Maya (London, from the contact). Calling hours are Monday and Tuesday, 9:00 AM to 3:00 PM. Next attempt: Tue 9:00 AM in London (Tue 4:00 AM in New York).`,
  )

  await setAgentStatus(deps, seed.workspaceId, seed.agentId, 'paused')
  const { page: again } = await browser.press(await open(`/calls/${id}`), 'Call again')
  expect(again.text).toContain("Call queued. The agent Ava isn't Live. Resume it to place this call.")
})

it('shows the old and new values of settings that have changed since a waiting call was queued', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const call = await waitFor.calling_hours(user)
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).not.toContain('Changed since')
  await editCampaign(deps, user.seed.workspaceId, call.campaign_id, {
    callingHours: { ...workdays, end: '15:30' },
  })
  const changed =
    'Changed since the call was queued: Calling hours from “Monday and Tuesday, 9:00 AM to 3:00 PM” to “Monday and Tuesday, 9:00 AM to 3:30 PM”.'
  expect((await user.open(`/calls/${call.id}`)).text).toContain(changed)
  const [story] = await readStories(deps, { callId: call.id })
  expect(story?.sentences).toContain(changed)
})

it('says who put the number of a suppressed call on the do-not-call list, and links to the contact', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { workspaceId, agentId } = user.seed
  const earlier = await seedCall(deps, user.seed, freshNumber())
  const suppress = async (addedBy: Actor, reason: string) => {
    const call = await seedCall(deps, user.seed, freshNumber())
    const entry = { source: 'dashboard', reason, addedBy, now: deps.clock.now() } as const
    await inTransaction(deps, (tx) =>
      addToDoNotCallList(tx, workspaceId, { ...entry, phoneNumbers: [call.to_number] }),
    )
    return { call, ...(await user.open(`/calls/${call.id}`)) }
  }
  const byMember = await suppress({ kind: 'member', id: user.userId }, 'Asked by email')
  expect(byMember.text).toContain('The number is on the do-not-call list. Open contact')
  expect(byMember.text).toContain(
    'It was put on the do-not-call list on May 4, 2026 by Robin. Reason: Asked by email',
  )
  expect(byMember.html).toContain(`/contacts/${byMember.call.contact.id}">Open contact</a>`)

  const byAgent = await suppress({ kind: 'agent', id: agentId, call_id: earlier.id }, 'Asked on the phone')
  expect(byAgent.text).toContain(`by the agent Ava during call ${earlier.id}. Reason: Asked on the phone`)
  expect(byAgent.html).toContain(`/calls/${earlier.id}">Open call ${earlier.id}</a>`)
})
