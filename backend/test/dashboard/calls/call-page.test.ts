import { expect, it } from '@jest/globals'
import type { Call } from '@outdial/contract'
import { sql } from 'kysely'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { readCallHistory } from '../../../dashboard/stories/call-history.ts'
import { toCallStory } from '../../../dashboard/stories/read-story.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import { findCall } from '../../../queue/calls/get-calls.ts'
import { insertToolCall } from '../../../queue/calls/tool-call-store.ts'
import { listCampaigns } from '../../../queue/campaigns/campaigns.ts'
import { callbackDelayMs } from '../../../webhooks/callback-url-store.ts'
import { recordDeliveryAttempts } from '../../../webhooks/delivery-attempt-store.ts'
import { leaseDeliveries } from '../../../webhooks/delivery-store.ts'
import { deleteOldSubscriptions, subscribe, unsubscribe } from '../../../webhooks/subscriptions.ts'
import { completeDialedCall, createCallSeeder, dialCall, toCaller } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner } from '../../support/dashboard.ts'
import { completeCall, seedApiKeyCaller } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { createSender } from '../../support/test-api.ts'
import { waitFor } from '../../support/wait.ts'

const world = useServiceWorld()
const seedCallFor = createCallSeeder(world)

it('shows the history of a call: attempts, tools, result, transcript, and deliveries', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed, open } = user
  const { deps } = world.service
  const call = await seedCallFor(user, {
    callback_url: 'https://hooks.example.com/one',
    metadata: { form: 'Pricing <page>' },
  })
  const attempt = await dialCall(deps, seed, call.id)
  await insertToolCall(world.database.db, seed.workspaceId, {
    of: { callId: call.id, attemptId: attempt.id },
    toolName: 'knowledge_search',
    arguments: JSON.stringify({ query: '<script>' }),
    result: 'Nothing was found.',
    isError: true,
    dryRun: true,
    startedAt: deps.clock.now(),
    durationMs: 37,
  })
  await completeDialedCall(
    deps,
    seed,
    call.id,
    {
      ...emptyResult('answered', 'contact_hung_up'),
      answeredAt: deps.clock.now(),
      recordingUrl: 'javascript:alert(1)',
      transcript: [{ role: 'contact', text: 'Hello & <b>who</b>?', at: deps.clock.now().toISOString() }],
      optedOut: true,
    },
    {
      summary: 'Wants an offer.',
      sentiment: 'positive',
      goalMet: true,
      extracted: { budget: 300, is_ready: true },
    },
  )
  deps.clock.advance(callbackDelayMs) // deliveries to a callback URL start after this delay
  const [delivery] = await leaseDeliveries(world.database.db, {
    workerId: '00000000-0000-4000-8000-000000000001',
    now: deps.clock.now(),
    capacity: 1,
    perHost: 1,
    activeByHost: new Map(),
    leaseSeconds: 60,
  })
  if (delivery === undefined) throw new Error('no delivery')
  await recordDeliveryAttempts(world.database.db, [
    {
      lease: delivery,
      attempt: {
        at: deps.clock.now(),
        durationMs: 21,
        statusCode: 500,
        error: 'The receiver responded with status 500.',
      },
      state: { status: 'exhausted' },
      onlyIf: null,
    },
  ])

  const page = await open(`/calls/${call.id}`)
  expect(page.status).toBe(200)
  for (const text of [
    'The contact hung up.',
    'Attempt 1: dialed',
    'The agent used knowledge_search',
    '37 ms',
    'Failed',
    'Dry run',
    'Nothing was found.',
    'Wants an offer.',
    'Positive',
    'Is ready Yes',
    'Contact opted out',
    'Pricing <page>',
    'Hello & <b>who</b>?',
    'https://hooks.example.com/one',
    'Failed – no retries left',
    'The receiver responded with status 500.',
    '21 ms',
  ]) {
    expect(page.text).toContain(text)
  }
  expect(page.html).not.toContain('<script>"')
  expect(page.html).not.toContain('<b>who')
  expect(page.html).not.toContain('javascript:')

  const { page: replayed } = await user.browser.press(page, 'Send again')
  expect(replayed.text).toContain('Sending 1 delivery again.')
  expect(replayed.text).toContain('Retrying')
})

it("doesn't say that a call was answered if voicemail picked up", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const call = await seedCallFor(user)
  await dialCall(deps, user.seed, call.id)
  const result = { ...emptyResult('voicemail', 'voicemail_reached'), answeredAt: deps.clock.now() }
  await completeDialedCall(deps, user.seed, call.id, result)
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('Picked up by voicemail')
  expect(page.text).toContain('Ended with the outcome Voicemail')
  expect(page.text).not.toContain('Answered')
})

it('opens the pages of a call and of a campaign at the URLs that the API returns for them', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const call = await seedCallFor(user)
  const { items } = await listCampaigns(deps, toCaller(user.seed), { limit: 1, offset: 0 })
  const titleOf = async (url: string | undefined) => {
    const { page } = await user.browser.open(url ?? '')
    return /<h1[^>]*>([^<]*)/.exec(page.html)?.[1]?.trim()
  }
  expect(await titleOf(call.url)).toBe('Maya')
  expect(await titleOf(items[0]?.url)).toBe('Leads')
})

it("says why a call's event wasn't sent to the subscriptions whose filters don't match the call", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const caller = await seedApiKeyCaller(deps, user.seed)
  const filters = [
    { outcome: ['busy' as const] },
    { goal_met: false },
    { opted_out: true as const },
    { test: 'only' as const },
    { test: 'exclude' as const },
  ]
  for (const [index, filter] of filters.entries()) {
    const target_url = `https://hooks.example.com/${index}`
    await subscribe(deps, caller, { target_url, event: 'call.completed', filter })
  }
  const reasonsOf = async (values: Partial<Call>) => {
    const call = await completeCall(deps, user.seed, { values })
    // The page reads both values from the call.
    const { goal_met, test } = call
    await deps.db.updateTable('call').set({ goal_met, test }).where('id', '=', call.id).execute()
    const { text } = await user.open(`/calls/${call.id}`)
    return [...text.matchAll(/, because ([^.]+)\./g)].map(([, reason]) => reason)
  }
  const otherOutcome = "its filter doesn't include this outcome"
  expect(await reasonsOf({ goal_met: true })).toEqual([
    otherOutcome,
    "its filter selects calls that didn't meet their goal",
    'its filter selects only calls in which the contact opted out',
    'its filter selects only test calls',
  ])
  expect(await reasonsOf({ goal_met: null, opted_out: true, test: true })).toEqual([
    otherOutcome,
    'its filter depends on the goal, which is unknown for this call',
    'its filter excludes test calls',
  ])
})

it('says that deliveries were deleted with their subscription, or that an older event has no record of them', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const caller = await seedApiKeyCaller(deps, user.seed)
  const { subscription } = await subscribe(deps, caller, {
    target_url: 'https://hooks.example.com/ended',
    event: 'call.completed',
  })
  const call = await completeCall(deps, user.seed)
  await unsubscribe(deps, caller, subscription.id)
  await deleteOldSubscriptions(deps.db, new Date(deps.clock.now().getTime() + 31 * dayMs))
  const readPage = async () => (await user.open(`/calls/${call.id}`)).text

  const page = await readPage()
  expect(page).toContain('The deliveries to 1 webhook subscription were deleted, 30 days after')
  expect(page).toContain('No deliveries are stored for this event.')
  expect(page).not.toContain('there was no webhook subscription')
  expect(page).not.toContain('No webhook deliveries.')

  await deps.db.updateTable('event').set({ matched_count: null }).where('call_id', '=', call.id).execute()
  const older = await readPage()
  expect(older).toContain("It wasn't recorded how many it had")
  expect(older).not.toContain('there was no webhook subscription')
})

it('shows the same story of a call as support reads, with a link to the API request that queued the call', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps, app } = world.service
  const { key } = await createApiKey(deps, user.seed.workspaceId, user.userId, 'Website')
  const send = createSender(app, key)
  const body = { target_url: 'https://hooks.example.com/zap', event: 'call.completed' }
  await send({ method: 'POST', path: '/webhooks/subscribe', body })
  const post = (more: object) =>
    send({
      ...{ method: 'POST', path: '/contacts/', headers: { 'x-request-id': 'of-the-story' } },
      body: { phone_number: '+12025570021', campaign_id: user.seed.campaignId, ...more },
    })
  const { id } = (await post({})).json<{ call: { id: number } }>().call
  await post({ if_already_queued: 'queue' })
  await completeDialedCall(deps, user.seed, id, emptyResult('no_answer', 'ring_timeout'))

  const page = await waitFor(
    async () => {
      const shown = await user.open(`/calls/${id}`)
      return shown.text.includes('of-the-story') && shown
    },
    () => deps.clock.advance(1_000),
  )
  const call = await findCall(deps, user.seed.workspaceId, id, deps.clock.now())
  const workspace = { id: user.seed.workspaceId, name: 'Acme', timeZone: 'America/New_York' }
  const history = call && (await readCallHistory(deps, workspace, call))
  if (history === undefined) throw new Error('no call')
  const story = toCallStory(history, workspace, deps.clock.now())
  expect(story.sentences).toHaveLength(3)
  for (const text of [...story.sentences, ...story.steps.flatMap(({ title, detail }) => [title, detail])]) {
    expect(page.text).toContain(text.trim())
  }
  expect(page.text.match(/The call wasn't answered\./g)).toHaveLength(2) // the cause, and the step
  const [, path = ''] = /href="\/w\/\d+(\/settings\/api-log\/\d+)"/.exec(page.html) ?? []
  expect((await user.open(path)).text).toContain(`Queued call ${id}.`)
})

it("cancels a waiting call, and says that it can't be canceled again", async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user, { scheduled_at: '2026-05-06T13:00:00Z' })
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('Scheduled for Wed 9:00 AM.')
  const { page: after } = await user.browser.press(page, 'Cancel call')
  expect(after.text).toContain('Call canceled.')
  expect(after.text).toContain('The call was canceled by Robin.')
  const stale = { ...page, html: page.html.replace(/name="_once" value="[^"]*"/g, '') }
  const { page: late } = await user.browser.press(stale, 'Cancel call')
  expect(late.text).toContain("This call can't be canceled because it's no longer waiting.")
  const events = await world.database.db
    .selectFrom('event')
    .selectAll()
    .where('call_id', '=', call.id)
    .execute()
  expect(events).toHaveLength(1)
})

it('says that a call is waiting for a paused campaign, and why the campaign is paused', async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user)
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'paused', paused_reason: 'The agent runtime failed 20 times in a row.' })
    .where('id', '=', user.seed.campaignId)
    .execute()
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('The campaign is paused. Resume it to place this call.')
  expect(page.text).toContain('The agent runtime failed 20 times in a row.')
})

it('queues a call again, with its metadata, unless the number is on the do-not-call list', async () => {
  const user = await seedSignedInOwner(world.service)
  const { browser, seed } = user
  const call = await seedCallFor(user, { metadata: { form: 'one' } })
  await completeDialedCall(world.service.deps, seed, call.id, emptyResult('busy', 'line_busy'))
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('Call Maya again?')
  const { page: again } = await browser.press(page, 'Call again')
  expect(again.text).toContain('Call queued.')
  expect(again.url).not.toBe(page.url)
  expect(again.text).toContain('form one')

  const { page: open } = await browser.press(await user.open(`/calls/${call.id}`), 'Call again')
  expect(open.text).toContain('already has a call that is waiting or in progress')
  expect(open.url).toBe(again.url)

  await sql`insert into do_not_call (workspace_id, number_hash, source)
    values (${seed.workspaceId}, number_hash(${seed.workspaceId}, ${call.to_number}), 'dashboard')`.execute(
    world.database.db,
  )
  expect((await user.open(`/calls/${call.id}`)).text).not.toContain('Call again')
  const { page: rejected } = await browser.press(page, 'Call again', { _once: 'other' })
  expect(rejected.text).toContain('No call was queued, because this number is on the do-not-call list.')
  const calls = await world.database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls).toHaveLength(2)
})

it("neither shows nor cancels another workspace's call", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  const [ownCall, foreign] = [await seedCallFor(mine), await seedCallFor(theirs)]
  expect((await mine.open(`/calls/${foreign.id}`)).status).toBe(404)
  const page = await mine.open(`/calls/${ownCall.id}`)
  const forged = { ...page, html: page.html.replaceAll(`/calls/${ownCall.id}/`, `/calls/${foreign.id}/`) }
  const { page: rejected } = await mine.browser.press(forged, 'Cancel call')
  expect(rejected.status).toBe(404)
  expect((await theirs.open(`/calls/${foreign.id}`)).text).toContain('Waiting')
})

itInChromium(
  'in the browser, a user can search for, watch, and cancel calls, and the pages are accessible',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const maya = await seedCallFor(user, { first_name: 'Maya', scheduled_at: '2026-05-06T13:00:00Z' })
    await seedCallFor(user, { first_name: 'Noor' })
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor('/calls'))
    await expectAccessible(tab)
    await tab.getByLabel('Search').pressSequentially('may')
    await tab.getByRole('link', { name: 'Noor' }).waitFor({ state: 'detached' })
    await tab.waitForURL((url) => url.searchParams.get('search') === 'may')

    await seedCallFor(user, { first_name: 'Mayumi' })
    await tab.getByRole('link', { name: 'Show 1 newer call' }).click()
    await tab.getByRole('link', { name: 'Mayumi' }).waitFor()
    await tab.getByText('More filters').click()
    await tab.getByLabel('Type').selectOption('Test calls')
    await tab.getByText('No matching calls.').waitFor()
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'Show all calls' }).click()
    await tab.getByRole('link', { name: 'Maya', exact: true }).click()
    await expectAccessible(tab)

    await tab.getByRole('button', { name: 'Cancel call' }).first().click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel call' }).click()
    await tab.getByText('Call canceled.').waitFor()
    await expectAccessible(tab)

    const live = await seedCallFor(user, { first_name: 'Kai' })
    await tab.goto(user.urlFor(`/calls/${live.id}`))
    const { id } = await dialCall(world.service.deps, user.seed, live.id)
    await insertToolCall(world.database.db, user.seed.workspaceId, {
      of: { callId: live.id, attemptId: id },
      toolName: 'contact_note',
      arguments: '{"text":"likes it"}',
      result: 'Note saved.',
      isError: false,
      dryRun: false,
      startedAt: world.service.deps.clock.now(),
      durationMs: 5,
    })
    // The attempt appears without a reload.
    await tab.getByText('Arguments and result').click()
    await tab.getByText('likes it').waitFor()
    await completeDialedCall(world.service.deps, user.seed, live.id, emptyResult('no_answer', 'ring_timeout'))
    await tab.getByText("The call wasn't answered.").first().waitFor()
    // The parts that the user expanded stay expanded.
    expect(await tab.getByText('likes it').isVisible()).toBe(true)
    await expectAccessible(tab)
    expect(consoleErrors).toEqual([])
    expect(maya.status).toBe('queued')
  },
)
