import { expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { emptyResult } from '../../../dialer/attempt-result.ts'
import { insertToolCall } from '../../../mcp/mcp-store.ts'
import { leaseDeliveries, recordDeliveryAttempt } from '../../../webhooks/delivery-store.ts'
import { completeDialedCall, dialCall, seedCall } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner, type SignedInUser } from '../../support/dashboard.ts'
import { freshNumber, type Seed, seedCampaign } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

type Owner = SignedInUser & { seed: Seed }

const seedCallFor = (user: Owner, input: Parameters<typeof seedCall>[3] = {}, number = freshNumber()) =>
  seedCall(world.service.deps, user.seed, number, input)

/** Ids of the calls that a page lists, in its order. */
const listedIds = ({ html }: { html: string }) =>
  [...html.matchAll(/<tr id="call-(\d+)"/g)].map(([, id]) => Number(id))

it('says what to do where there are no calls', async () => {
  const { open } = await seedSignedInOwner(world.service)
  const page = await open('/calls')
  expect(page.text).toContain('No calls yet.')
  expect(page.html).toMatch(/href="[^"]*\/contacts\/new"/)
})

it('lists calls, the newest first, and tells what each waits for', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await seedCallFor(user, { first_name: 'Maya', last_name: '<i>Li</i>' })
  const second = await seedCallFor(user, { scheduled_at: '2026-05-06T13:00:00Z' })
  const page = await user.open('/calls')
  expect(listedIds(page)).toEqual([second.id, first.id])
  expect(page.html).toContain('Maya &lt;i&gt;Li&lt;/i&gt;')
  expect(page.text).toContain('for its time until Wed 9:00 AM')
})

it('finds calls by the beginning of a name, a number in any spelling, and the id', async () => {
  const user = await seedSignedInOwner(world.service)
  const maya = await seedCallFor(user, { first_name: 'Maya', last_name: 'Ångström' }, '+12025570001')
  const noor = await seedCallFor(user, { first_name: 'Noor', last_name: 'Mayall' }, '+12025570002')
  const found = async (search: string) =>
    listedIds(await user.open(`/calls?${new URLSearchParams({ search }).toString()}`))
  expect(await found('may')).toEqual([noor.id, maya.id])
  expect(await found('MAYA ångs')).toEqual([maya.id])
  expect(await found('(202) 557-0002')).toEqual([noor.id])
  expect(await found('tel:+1-202-557-0002')).toEqual([noor.id])
  expect(await found('202 557')).toEqual([noor.id, maya.id])
  expect(await found(`#${maya.id}`)).toEqual([maya.id])
  expect(await found('%')).toEqual([])
  expect(await found('nobody')).toEqual([])
})

it('narrows the list down by status, outcome, campaign, agent, kind and day', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const campaignId = await seedCampaign(world.service.deps, { ...seed, name: 'Other' })
  const plain = await seedCallFor(user)
  const test = await seedCallFor(user, { test: true })
  const other = await seedCallFor(user, { campaign_id: campaignId })
  const old = await seedCallFor(user)
  await completeDialedCall(world.service.deps, seed, old.id, emptyResult('busy', 'line_busy'))
  await world.database.db
    .updateTable('call')
    .set({ queued_at: new Date('2026-05-03T03:59:59Z') }) // 23:59:59 on May 2 in New York
    .where('id', '=', old.id)
    .execute()
  const found = async (query: string) => listedIds(await user.open(`/calls?${query}`))
  expect(await found('status=completed')).toEqual([old.id])
  expect(await found('outcome=busy')).toEqual([old.id])
  expect(await found('outcome=answered')).toEqual([])
  expect(await found(`campaign=${campaignId}`)).toEqual([other.id])
  expect(await found(`agent=${seed.agentId}&kind=real`)).toEqual([old.id, other.id, plain.id])
  expect(await found('kind=test')).toEqual([test.id])
  expect(await found('from=2026-05-02&to=2026-05-02')).toEqual([old.id])
  expect(await found('from=2026-05-03&kind=real')).toEqual([other.id, plain.id])
  expect(await found('status=&outcome=nonsense&campaign=x&from=yesterday')).toHaveLength(4)
})

it('pages through a long list and back', async () => {
  const user = await seedSignedInOwner(world.service)
  const ids: number[] = []
  for (let count = 0; count < 120; count += 1) ids.unshift((await seedCallFor(user)).id)
  const first = await user.open('/calls')
  expect(listedIds(first)).toEqual(ids.slice(0, 50))
  const follow = async (html: string, rel: string) => {
    const address = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1] ?? ''
    const { page } = await user.browser.open(
      new URL(address.replaceAll('&amp;', '&'), world.service.url).href,
    )
    return page
  }
  const second = await follow(first.html, 'next')
  const third = await follow(second.html, 'next')
  expect([...listedIds(second), ...listedIds(third)]).toEqual(ids.slice(50))
  expect(third.html).not.toContain('rel="next"')
  expect(listedIds(await follow(third.html, 'prev'))).toEqual(ids.slice(50, 100))
  const again = await follow(second.html, 'prev')
  expect(listedIds(again)).toEqual(ids.slice(0, 50))
})

it('pages through the calls of some days in the order in which they were queued', async () => {
  const user = await seedSignedInOwner(world.service)
  const ids: number[] = []
  for (let count = 0; count < 60; count += 1) ids.push((await seedCallFor(user)).id)
  // The later its id, the earlier it was queued; three at a time at one moment.
  await sql`update call set queued_at = timestamptz '2026-05-03T12:00:00Z' - (id - ${ids[0]}::bigint) / 3 * interval '1 minute'
    where workspace_id = ${user.seed.workspaceId}`.execute(world.database.db)
  const threes = Map.groupBy(ids, (id) => Math.floor((id - (ids[0] ?? 0)) / 3))
  const inOrder = [...threes.values()].flatMap((three) => three.reverse())
  const first = await user.open('/calls?from=2026-05-01&to=2026-05-03')
  const next = /href="([^"]*)" rel="next"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const { page: second } = await user.browser.open(new URL(next, world.service.url).href)
  expect([...listedIds(first), ...listedIds(second)]).toEqual(inOrder)
})

it('does not push new calls under the reader’s eyes, but offers them', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await seedCallFor(user)
  const page = await user.open('/calls')
  const live = /id="live"[^>]*hx-get="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const second = await seedCallFor(user)
  const { page: later } = await user.browser.open(new URL(live, world.service.url).href)
  expect(listedIds(later)).toEqual([first.id])
  expect(later.text).toContain('Show 1 newer call')
  expect(listedIds(await user.open('/calls'))).toEqual([second.id, first.id])
})

it('exports the filtered list as CSV that runs no formula', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCallFor(user, { first_name: '=SUM(A1)', last_name: 'a "b", c', metadata: { form: 'x' } })
  await seedCallFor(user, { first_name: 'Noor', test: true })
  const page = await user.open('/calls/export?kind=real')
  expect(page.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(page.headers.get('content-disposition')).toBe('attachment; filename="calls.csv"')
  const rows: Record<string, string>[] = parse(page.html, { columns: true })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({
    status: 'queued',
    test: 'false',
    first_name: "'=SUM(A1)",
    last_name: 'a "b", c',
    metadata: '{"form":"x"}',
  })
})

it('tells the whole story of a call: attempts, tools, result, talk, and who was told', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed, open } = user
  const { deps } = world.service
  const call = await seedCallFor(user, {
    callback_url: 'https://hooks.example.com/one',
    metadata: { form: 'Pricing <page>' },
  })
  const attempt = await dialCall(deps, seed, call.id)
  await insertToolCall(world.database.db, {
    workspaceId: seed.workspaceId,
    callId: call.id,
    attemptId: attempt.id,
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
    },
    {
      summary: 'Wants an offer.',
      sentiment: 'positive',
      goalMet: true,
      extracted: { budget: 300, ready: true },
    },
  )
  const [delivery] = await leaseDeliveries(world.database.db, {
    workerId: '00000000-0000-4000-8000-000000000001',
    now: deps.clock.now(),
    capacity: 1,
    perHost: 1,
    activeByHost: new Map(),
    leaseSeconds: 60,
  })
  if (delivery === undefined) throw new Error('no delivery')
  await recordDeliveryAttempt(
    world.database.db,
    delivery,
    { at: deps.clock.now(), durationMs: 21, statusCode: 500, error: 'the receiver answered 500' },
    { status: 'exhausted' },
  )

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
    'Pricing <page>',
    'Hello & <b>who</b>?',
    'https://hooks.example.com/one',
    'Given up',
    'The receiver answered 500',
    '21 ms',
  ]) {
    expect(page.text).toContain(text)
  }
  expect(page.html).not.toContain('<script>"')
  expect(page.html).not.toContain('<b>who')
  expect(page.html).not.toContain('javascript:')

  const { page: replayed } = await user.browser.press(page, 'Send again')
  expect(replayed.text).toContain('The event is sent again.')
  expect(replayed.text).toContain('To be tried again')
})

it('cancels a call that waits, once', async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user, { scheduled_at: '2026-05-06T13:00:00Z' })
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('Waits for its time: it was asked for Wed 9:00 AM')
  const { page: after } = await user.browser.press(page, 'Cancel the call')
  expect(after.text).toContain('The call was canceled.')
  expect(after.text).toContain('Somebody canceled it while it waited.')
  const stale = { ...page, html: page.html.replace(/name="_once" value="[^"]*"/g, '') }
  const { page: late } = await user.browser.press(stale, 'Cancel the call')
  expect(late.text).toContain('It was too late to cancel this call')
  const events = await world.database.db
    .selectFrom('event')
    .selectAll()
    .where('call_id', '=', call.id)
    .execute()
  expect(events).toHaveLength(1)
})

it('says what a call waits for where somebody must lift it', async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user)
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'paused', paused_reason: 'The phone line failed 20 times in a row.' })
    .where('id', '=', user.seed.campaignId)
    .execute()
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('Waits because its campaign is paused')
  expect(page.text).toContain('The phone line failed 20 times in a row.')
})

it('queues a call again, with its metadata, unless the person asked not to be called', async () => {
  const user = await seedSignedInOwner(world.service)
  const { browser, seed } = user
  const call = await seedCallFor(user, { metadata: { form: 'one' } })
  await completeDialedCall(world.service.deps, seed, call.id, emptyResult('busy', 'line_busy'))
  const page = await user.open(`/calls/${call.id}`)
  const { page: again } = await browser.press(page, 'Queue it again')
  expect(again.text).toContain('The call was queued.')
  expect(again.url).not.toBe(page.url)
  expect(again.text).toContain('form one')

  const { page: open } = await browser.press(await user.open(`/calls/${call.id}`), 'Queue it again')
  expect(open.text).toContain('is still open')
  expect(open.url).toBe(again.url)

  await sql`insert into do_not_call (workspace_id, number_hash, source)
    values (${seed.workspaceId}, number_hash(${seed.workspaceId}, ${call.to_number}), 'dashboard')`.execute(
    world.database.db,
  )
  const { page: rejected } = await browser.press(await user.open(`/calls/${call.id}`), 'Queue it again')
  expect(rejected.text).toContain('This person asked not to be called')
  const calls = await world.database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls).toHaveLength(2)
})

it('shows nobody another workspace’s call, and cancels none', async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  const [ownCall, foreign] = [await seedCallFor(mine), await seedCallFor(theirs)]
  expect((await mine.open(`/calls/${foreign.id}`)).status).toBe(404)
  const page = await mine.open(`/calls/${ownCall.id}`)
  const forged = { ...page, html: page.html.replaceAll(`/calls/${ownCall.id}/`, `/calls/${foreign.id}/`) }
  const { page: rejected } = await mine.browser.press(forged, 'Cancel the call')
  expect(rejected.status).toBe(404)
  expect((await theirs.open(`/calls/${foreign.id}`)).text).toContain('Waiting')
})

itInChromium('is searched, watched and canceled by hand', async (chromium) => {
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
  await tab.getByLabel('Kind').selectOption('Test calls')
  await tab.getByText('No call matches.').waitFor()
  await expectAccessible(tab)
  await tab.getByRole('link', { name: 'Show all calls' }).click()
  await tab.getByRole('link', { name: 'Maya', exact: true }).click()
  await expectAccessible(tab)

  // It is live: the attempt appears by itself.
  await tab.getByRole('button', { name: 'Cancel the call' }).first().click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel the call' }).click()
  await tab.getByText('The call was canceled.').waitFor()
  await expectAccessible(tab)

  const live = await seedCallFor(user, { first_name: 'Kai' })
  await tab.goto(user.urlFor(`/calls/${live.id}`))
  const { id } = await dialCall(world.service.deps, user.seed, live.id)
  await insertToolCall(world.database.db, {
    workspaceId: user.seed.workspaceId,
    callId: live.id,
    attemptId: id,
    toolName: 'contact_note',
    arguments: '{"text":"likes it"}',
    result: 'Kept.',
    isError: false,
    dryRun: false,
    startedAt: world.service.deps.clock.now(),
    durationMs: 5,
  })
  await tab.getByText('What it asked and got').click()
  await tab.getByText('likes it').waitFor()
  await completeDialedCall(world.service.deps, user.seed, live.id, emptyResult('no_answer', 'ring_timeout'))
  await tab.getByText('It rang, and nobody answered.').first().waitFor()
  // What the reader unfolded stays so.
  expect(await tab.getByText('likes it').isVisible()).toBe(true)
  await expectAccessible(tab)
  expect(consoleErrors).toEqual([])
  expect(maya.status).toBe('queued')
})
