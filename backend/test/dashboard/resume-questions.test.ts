import { expect, it } from '@jest/globals'
import type { Page } from '../../../support/browser.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber, seedCampaign, seedPhoneNumber } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'

// Resuming a campaign or an agent, or activating a number, can start calls. So each page first asks for confirmation and says
// which calls would start.

const world = useServiceWorld()

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

/** Queues calls to new contacts in New York. */
async function queueCalls({ seed, userId }: Owner, count: number, campaignId = seed.campaignId) {
  const caller = { workspaceId: seed.workspaceId, userId, apiKeyId: null, clientId: null, scopes: [] }
  for (let index = 0; index < count; index += 1) {
    await addContact(world.service.deps, caller, { phone_number: freshNumber(), campaign_id: campaignId })
  }
}

interface Case {
  what: string
  path: (user: Owner) => string
  /** The buttons that stop and start the object. The start button first asks for confirmation if calls are waiting. */
  stop: string
  start: string
  confirm: string
  question: string
  done: string
}

const cases: Case[] = [
  {
    what: 'a campaign',
    path: ({ seed }) => `/campaigns/${seed.campaignId}`,
    stop: 'Pause',
    start: 'Resume',
    confirm: 'Resume campaign',
    question: 'Resume the campaign “Leads”?',
    done: 'Campaign resumed.',
  },
  {
    what: 'an agent',
    path: ({ seed }) => `/agents/${seed.agentId}`,
    stop: 'Pause',
    start: 'Resume',
    confirm: 'Resume agent',
    question: 'Resume the agent “Ava”?',
    done: 'Agent resumed.',
  },
  {
    what: 'a phone number',
    path: () => '/phone-numbers',
    stop: 'Retire number',
    start: 'Activate',
    confirm: 'Activate number',
    question: 'Activate the phone number “Sales”?',
    done: 'Phone number activated.',
  },
]

async function stop(user: Owner, { path, stop: button }: Case): Promise<Page> {
  return (await user.browser.press(await user.open(path(user)), button)).page
}

it.each(cases)(
  'asks for confirmation before it resumes or activates $what, and says how many waiting calls can start',
  async (one) => {
    const user = await seedSignedInOwner(world.service)
    await queueCalls(user, 7)
    const stopped = await stop(user, one)
    const calls = '7 calls are waiting. 7 of them can start right away, up to 5 at the same time.'
    expect(stopped.text).toContain(`${one.question} ${calls}`)
    const { page } = await user.browser.press(stopped, one.confirm)
    expect(page.text).toContain(`${one.done} ${calls}`)
  },
)

it.each(cases)("doesn't ask for confirmation if no calls wait for $what", async (one) => {
  const user = await seedSignedInOwner(world.service)
  const stopped = await stop(user, one)
  expect(stopped.text).not.toContain(one.question)
  const { page } = await user.browser.press(stopped, one.start)
  expect(page.text).toContain(one.done)
  expect(page.text).not.toContain(`${one.done} 0 calls`)
})

it.each(cases)(
  'before and after $what is resumed or activated, says when calls that wait for calling hours can start',
  async (one) => {
    const user = await seedSignedInOwner(world.service)
    const hours = { days: ['sat', 'sun'], start: '10:00', end: '20:00' }
    await world.database.db
      .updateTable('campaign')
      .set({ calling_hours: JSON.stringify(hours) })
      .where('id', '=', user.seed.campaignId)
      .execute()
    await queueCalls(user, 1)
    const stopped = await stop(user, one)
    expect(stopped.text).toMatch(/1 call is waiting\. It isn't placed before Sat [^.]*10:00 AM[^.]*\./)
    await queueCalls(user, 1)
    const { page } = await user.browser.press(stopped, one.confirm)
    expect(page.text).toMatch(
      /2 calls are waiting\. None can start right away\. The first isn't placed before Sat /,
    )
  },
)

it("when an agent is resumed, doesn't promise to place its call, but says that the call also waits for an active phone number", async () => {
  const user = await seedSignedInOwner(world.service)
  await queueCalls(user, 1)
  const agent = cases.find(({ what }) => what === 'an agent')
  if (agent === undefined) throw new Error('no case for an agent')
  await stop(user, agent)
  await user.browser.press(await user.open('/phone-numbers'), 'Retire number')
  const page = await user.open(agent.path(user))
  expect(page.text).toContain('1 call is waiting. It also waits for an active phone number.')
  const { page: resumed } = await user.browser.press(page, 'Resume agent')
  expect(resumed.text).toContain(
    'Agent resumed. 1 call is waiting. It also waits for an active phone number.',
  )
})

it('if a waiting call expires before its calling hours begin, says that the call ends without being placed', async () => {
  const user = await seedSignedInOwner(world.service)
  const { db } = world.database
  await queueCalls(user, 1)
  const now = world.service.deps.clock.now()
  const dueAt = new Date(now.getTime() - 7 * 86_400_000 + 60_000)
  const hours = { days: ['sun'], start: '10:00', end: '20:00' }
  const { campaignId } = user.seed
  await db.updateTable('call').set({ due_at: dueAt }).where('campaign_id', '=', campaignId).execute()
  const campaign = db.updateTable('campaign').where('id', '=', campaignId)
  await campaign.set({ calling_hours: JSON.stringify(hours) }).execute()
  await user.browser.press(await user.open(`/campaigns/${campaignId}`), 'Pause')
  expect((await user.open(`/campaigns/${campaignId}`)).text).toContain(
    "1 call is waiting. It ends without being placed, because it expires before that's possible.",
  )
})

it("doesn't count a paused campaign's calls among the agent's calls that can start right away", async () => {
  const user = await seedSignedInOwner(world.service)
  const { workspaceId, agentId } = user.seed
  const phoneNumberId = await seedPhoneNumber(world.service.deps, workspaceId)
  const other = await seedCampaign(world.service.deps, { workspaceId, agentId, phoneNumberId, name: 'Other' })
  await queueCalls(user, 2)
  await queueCalls(user, 1, other)
  await user.browser.press(await user.open(`/campaigns/${user.seed.campaignId}`), 'Pause')
  await user.browser.press(await user.open(`/agents/${agentId}`), 'Pause')
  const page = await user.open(`/agents/${agentId}`)
  expect(page.text).toContain('3 calls are waiting. 1 of them can start right away.')
})
