import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { getDay } from '../../../dashboard/overview/overview-charts.ts'
import { cancelCall } from '../../../queue/calls/cancel-call.ts'
import { completeDialedCall, dialCall, seedCall, toCaller } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber, seedCampaign } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

/** Returns the text of the table row with this heading. */
const getRow = (html: string, heading: string): string => {
  const found = [...html.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([text]) => text)
  const ownRow = found.find((text) => new RegExp(`<th scope="row">(<[^>]*>)?${heading}<`).test(text)) ?? ''
  return ownRow
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

it("counts today's calls by outcome and hour in the workspace's time zone, excluding test calls", async () => {
  const { seed, open } = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const add = async (end: Parameters<typeof completeDialedCall>[3], endedAt?: string) => {
    const call = await seedCall(deps, seed, freshNumber())
    await completeDialedCall(deps, seed, call.id, end)
    if (endedAt === undefined) return
    await world.database.db
      .updateTable('call')
      .set({ ended_at: new Date(endedAt) })
      .where('id', '=', call.id)
      .execute()
  }
  // The test's clock shows Monday, May 4, 11:00 AM in New York.
  await add(emptyResult('busy', 'line_busy'))
  await add(emptyResult('failed', 'line_failed'), '2026-05-04T13:59:59Z') // 9:59 AM in New York
  await add(emptyResult('busy', 'line_busy'), '2026-05-04T04:00:00Z') // midnight in New York
  await add(emptyResult('busy', 'line_busy'), '2026-05-04T03:59:59Z') // yesterday in New York
  await world.database.db
    .updateTable('call')
    .set({ test: true })
    .where('id', '=', (await seedCall(deps, seed, freshNumber())).id)
    .execute()
  const test = await seedCall(deps, seed, freshNumber(), { test: true })
  await world.database.db
    .updateTable('call')
    .set({ status: 'completed', outcome: 'answered', next_attempt_at: null, ended_at: deps.clock.now() })
    .where('id', '=', test.id)
    .execute()

  const page = await open('/overview')
  expect(page.text).toContain('Monday, May 4')
  expect(page.text).toContain('Completed today 3')
  expect(getRow(page.html, 'Busy')).toBe('Busy 2')
  expect(getRow(page.html, 'Failed')).toBe('Failed 1')
  expect(getRow(page.html, 'Answered')).toBe('Answered 0')
  expect(getRow(page.html, '12 AM')).toBe('12 AM 0 1 0 0')
  expect(getRow(page.html, '9 AM')).toBe('9 AM 0 0 1 0')
  expect(getRow(page.html, '11 AM')).toBe('11 AM 0 1 0 0')
  expect(page.text).toContain('1 test call not included.')
})

it('links each number to a list of the calls that it counts', async () => {
  const { seed, open, browser } = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const add = async (endedAt: string, test = false) => {
    const { id } = await seedCall(deps, seed, freshNumber(), { test })
    await world.database.db
      .updateTable('call')
      .set({ status: 'completed', outcome: 'busy', next_attempt_at: null, ended_at: new Date(endedAt) })
      .where('id', '=', id)
      .execute()
    return id
  }
  await add('2026-05-04T03:59:59Z') // yesterday in New York
  const today = await add('2026-05-04T04:00:00Z')
  const test = await add('2026-05-04T04:00:00Z', true)
  const { id: waiting } = await seedCall(deps, seed, freshNumber())

  const page = await open('/overview')
  const follow = async (pattern: RegExp) => {
    const address = pattern.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { page: list } = await browser.open(new URL(address, world.service.url).href)
    return [...list.html.matchAll(/<tr id="call-(\d+)"/g)].map(([, id]) => Number(id))
  }
  expect(await follow(/Completed today<\/dt><dd><a href="([^"]*)">1</)).toEqual([today])
  expect(await follow(/Answered<\/dt>\s*<dd>\s*<a href="([^"]*)">0</)).toEqual([])
  expect(await follow(/<a href="([^"]*)">Busy</)).toEqual([today])
  expect(await follow(/Waiting<\/dt><dd><a href="([^"]*)">1</)).toEqual([waiting])
  expect(await follow(/<a href="([^"]*)">1 test call</)).toEqual([test])
})

it('divides a day into 23 hours when daylight saving time starts, 25 when it ends, and otherwise 24', () => {
  const zone = 'America/New_York'
  expect(getDay(new Date('2026-03-08T15:00:00Z'), zone).hours).toHaveLength(23)
  expect(getDay(new Date('2026-11-01T15:00:00Z'), zone).hours).toHaveLength(25)
  const day = getDay(new Date('2026-05-04T15:00:00Z'), 'Asia/Kathmandu')
  expect(day.from.toISOString()).toBe('2026-05-03T18:15:00.000Z')
  expect(day.hours).toHaveLength(24)
})

it('shows calls in progress, and why other calls are waiting', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed, open } = user
  const { deps } = world.service
  const live = await seedCall(deps, seed, freshNumber(), { first_name: 'Kai', last_name: '<u>Now</u>' })
  await dialCall(deps, seed, live.id)
  await seedCall(deps, seed, freshNumber(), { scheduled_at: '2026-05-06T13:00:00Z' })
  await seedCall(deps, seed, freshNumber(), { scheduled_at: '2026-05-07T13:00:00Z' })
  const pausedId = await seedCampaign(deps, { ...seed, name: 'Stopped' })
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'paused' })
    .where('id', '=', pausedId)
    .execute()
  await seedCall(deps, seed, freshNumber(), { campaign_id: pausedId })
  const oneAtOnce = await seedCampaign(deps, { ...seed, name: 'One', maxConcurrentCalls: 1 })
  const [first] = [
    await seedCall(deps, seed, freshNumber(), { campaign_id: oneAtOnce }),
    await seedCall(deps, seed, freshNumber(), { campaign_id: oneAtOnce }),
  ]
  await dialCall(deps, seed, first.id)

  const page = await open('/overview')
  expect(page.text).toContain('In progress 2')
  expect(page.html).toContain('Kai &lt;u&gt;Now&lt;/u&gt;')
  expect(page.text).toContain('Waiting 4')
  expect(page.text).toContain('Scheduled time not before Wed 9:00 AM 2')
  expect(page.text).toContain('Campaign paused 1')
  expect(page.text).toContain('Other calls in progress 1')
})

it('highlights paused campaigns, failing and disabled webhooks, and exhausted deliveries', async () => {
  const { seed, userId, open } = await seedSignedInOwner(world.service)
  const { deps } = world.service
  expect((await open('/overview')).html).not.toContain('Needs attention')
  const { id: keyId } = await createApiKey(deps, seed.workspaceId, userId, 'x')
  const subscribe = (target: string, health: { disabled_at?: Date; failing_since?: Date }) =>
    world.database.db
      .insertInto('webhook_subscription')
      .values({
        workspace_id: seed.workspaceId,
        user_id: userId,
        api_key_id: keyId,
        client_id: null,
        target_url: target,
        event: 'call.completed',
        filter: JSON.stringify({ campaign_id: null, agent_id: null, outcome: ['busy'] }),
        secret: 'x',
        ...health,
      })
      .execute()
  await subscribe('https://disabled.example.com/x', { disabled_at: new Date(), failing_since: new Date() })
  await subscribe('https://failing.example.com/x', { failing_since: new Date() })
  await subscribe('https://healthy.example.com/x', {})
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'paused', paused_reason: 'The agent runtime failed 20 times in a row.' })
    .where('id', '=', seed.campaignId)
    .execute()
  const call = await seedCall(deps, seed, freshNumber(), {
    do_not_call: true,
    callback_url: 'https://a.example.com',
  })
  await world.database.db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null })
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(call.outcome).toBe('suppressed')

  const { text } = await open('/overview')
  expect(text).toContain('Leads: The agent runtime failed 20 times in a row. Open campaign')
  expect(text).toContain(
    'A webhook was disabled after 5 days of failed deliveries: API key “x” at disabled.example.com',
  )
  expect(text).toContain('A webhook is failing: API key “x” at failing.example.com (Calls: busy).')
  expect(text).not.toContain('healthy.example.com')
  expect(text).toContain('1 webhook delivery failed. No retries are left.')
})

it('combines failing webhooks into one notice that names at most three of them, and paused campaigns into another', async () => {
  const { seed, userId, open } = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { id: keyId } = await createApiKey(deps, seed.workspaceId, userId, 'Website')
  const all = { campaign_id: null, agent_id: null, outcome: null }
  const filters = [{ ...all, campaign_id: seed.campaignId }, { ...all, outcome: ['busy'] }, all, all]
  for (const [index, filter] of filters.entries()) {
    await world.database.db
      .insertInto('webhook_subscription')
      .values({
        workspace_id: seed.workspaceId,
        user_id: userId,
        api_key_id: keyId,
        client_id: null,
        target_url: `https://hooks.zapier.com/hooks/standard/${index}`,
        event: 'call.completed',
        filter: JSON.stringify(filter),
        secret: 'x',
        failing_since: new Date(),
      })
      .execute()
  }
  await seedCampaign(deps, { ...seed, name: 'Win-back' })
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'paused' })
    .where('workspace_id', '=', seed.workspaceId)
    .execute()

  const { html } = await open('/overview')
  const notices = [...html.matchAll(/<p class="notice"[\s\S]*?<\/p>/g)].map(([text]) =>
    text
      .replace(/<[^<>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  expect(notices).toEqual([
    '4 webhooks are failing: API key “Website” at hooks.zapier.com (Calls: campaign “Leads”), ' +
      'API key “Website” at hooks.zapier.com (Calls: busy), ' +
      'API key “Website” at hooks.zapier.com (All completed calls), and 1 more. ' +
      'Outdial is retrying their deliveries. Open webhooks',
    '2 campaigns are paused: “Win-back” and “Leads”. Open campaigns',
  ])
})

it('lists the first steps for a new workspace until all of them are done', async () => {
  const { seed, userId, open } = await seedSignedInOwner(world.service)
  const { db } = world.database
  await db
    .updateTable('agent')
    .set({ status: 'draft' })
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  await db.deleteFrom('campaign').where('workspace_id', '=', seed.workspaceId).execute()
  const fresh = await open('/overview')
  expect(fresh.text).toContain('1 of 5 done')
  expect(fresh.text).toContain('Create and publish an agent')
  await db.updateTable('agent').set({ status: 'live' }).where('workspace_id', '=', seed.workspaceId).execute()
  const campaignId = await seedCampaign(world.service.deps, seed)
  const call = await seedCall(world.service.deps, { ...seed, campaignId }, freshNumber())
  expect((await open('/overview')).text).toContain('3 of 5 done')
  await cancelCall(world.service.deps, toCaller(seed), call.id)
  expect((await open('/overview')).text).toContain('4 of 5 done')
  const { id } = await createApiKey(world.service.deps, seed.workspaceId, userId, 'x')
  await db.updateTable('api_key').set({ last_used_at: new Date() }).where('id', '=', id).execute()
  expect((await open('/overview')).text).not.toContain('First steps')
})

it("doesn't show another workspace's data", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, theirs.seed, freshNumber())
  expect((await mine.open('/overview')).text).toContain('3 of 5 done')
  await seedCall(world.service.deps, mine.seed, freshNumber())
  expect((await mine.open('/overview')).text).toContain('Waiting 1')
  expect((await mine.browser.open(theirs.urlFor('/overview'))).page.status).toBe(404)
})

it('if there are more than 5,000 calls, counts them at most every 10 seconds, except for a user who has just sent a form', async () => {
  const user = await seedSignedInOwner(world.service)
  const colleague = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  const { deps } = world.service
  const { id } = await seedCall(deps, user.seed, freshNumber())
  const canceled = await seedCall(deps, user.seed, freshNumber())
  const addCalls = (count: number) =>
    sql`
      insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, additional, from_number, to_number,
        queued_at, due_at, next_attempt_at)
      select workspace_id, campaign_id, contact_id, agent_id, phone_number_id, true, from_number, to_number, queued_at,
        due_at, next_attempt_at
      from call, generate_series(1, ${count}::int)
      where id = ${id}`.execute(world.database.db)
  const note = 'completed and waiting calls are counted every 10 seconds'
  await addCalls(4_998)
  const few = await user.open('/overview')
  expect(few.text).toContain('Waiting 5,000')
  expect(few.text).not.toContain(note)
  await addCalls(1)
  const many = await user.open('/overview')
  expect(many.text).toContain('Waiting 5,001')
  expect(many.text).toContain(note)

  await addCalls(1)
  expect((await user.open('/overview')).text).toContain('Waiting 5,001')
  await user.browser.press(await user.open(`/calls/${canceled.id}`), 'Cancel call')
  expect((await colleague.open('/overview')).text).toContain('Waiting 5,001')
  const afterForm = await user.open('/overview')
  expect(afterForm.text).toContain('Waiting 5,001')
  expect(getRow(afterForm.html, 'Canceled')).toBe('Canceled 1')
  expect(getRow((await colleague.open('/overview')).html, 'Canceled')).toBe('Canceled 1')

  await addCalls(1)
  expect((await colleague.open('/overview')).text).toContain('Waiting 5,001')
  deps.clock.advance(10_000)
  expect((await colleague.open('/overview')).text).toContain('Waiting 5,002')
})

itInChromium('updates the calls in progress and the counts without a reload', async (chromium) => {
  const user = await seedSignedInOwner(world.service)
  const tab = await openTab(world.service, chromium, user)
  const consoleErrors: string[] = []
  tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  await tab.goto(user.urlFor('/overview'))
  await expectAccessible(tab)
  const call = await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: 'Kai' })
  await dialCall(world.service.deps, user.seed, call.id)
  await tab.getByRole('link', { name: 'Kai' }).waitFor()
  await completeDialedCall(world.service.deps, user.seed, call.id, emptyResult('busy', 'line_busy'))
  await tab.getByText('No calls in progress.').waitFor()
  await tab.getByRole('row', { name: 'Busy' }).getByText('1', { exact: true }).waitFor()
  await expectAccessible(tab)
  expect(consoleErrors).toEqual([])
})
