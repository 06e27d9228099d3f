import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { CallList } from '@outdial/contract'
import { sql } from 'kysely'
import { addNumberToDoNotCallList } from '../../calls/do-not-call.ts'
import { addNote } from '../../contacts/contact-notes.ts'
import { dayMs } from '../../core/durations.ts'
import { emptyResult } from '../../dialer/attempt-result.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { insertToolCall } from '../../mcp/mcp-store.ts'
import { readStories } from '../../support/read-story.ts'
import { startSender } from '../../webhooks/sender.ts'
import { deleteOldSubscriptions, subscribe, unsubscribe } from '../../webhooks/subscriptions.ts'
import { archiveCalls, listArchivedCalls } from '../support/archive.ts'
import { completeDialedCall, dialCall, seedCall } from '../support/calls.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { seedApiKeyCaller, seedCampaign } from '../support/factories.ts'
import { HttpReceiver } from '../support/http-receiver.ts'
import { useServiceWorld } from '../support/service.ts'
import { createSender } from '../support/test-api.ts'
import { waitForValue } from '../support/wait.ts'

const world = useServiceWorld()
const receiver = new HttpReceiver()
beforeAll(() => receiver.listen())
afterAll(() => receiver.close())

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const outcomes = ['answered', 'no_answer', 'busy', 'answered', 'voicemail', 'answered'] as const

/**
 * Creates a workspace with calls of every kind. Six calls ended 200 days ago, and three today. Their deliveries have
 * ended: each was delivered or is exhausted.
 */
async function seedHistory() {
  const { deps, app } = world.service
  const owner = await seedSignedInOwner(world.service)
  const { seed } = owner
  const other = await seedCampaign(deps, { ...seed, name: 'Other leads' })
  const caller = await seedApiKeyCaller(deps, { ...seed, userId: owner.userId })
  const hook = { target_url: receiver.url(), event: 'call.completed' } as const
  const { subscription } = await subscribe(deps, caller, hook)
  const { key } = await createApiKey(deps, seed.workspaceId, owner.userId, 'Website')
  const send = createSender(app, key)

  const oldIds: number[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const call = await seedCall(deps, seed, `+1202559000${index % 4}`, {
      campaign_id: index < 4 ? seed.campaignId : other,
      first_name: `Kim${index}`,
      external_id: `lead ${index}`,
      metadata: { row: String(index) },
      ...(index === 0 && { callback_url: receiver.url('/callback') }),
    })
    await complete(owner, call.id, outcome, index)
    oldIds.push(call.id)
  }
  await deps.db
    .updateTable('call')
    .set({ test: true })
    .where('id', '=', oldIds[5] ?? 0)
    .execute()
  await deliverAll()
  await shiftBack(seed.workspaceId, 200)
  // Queued later than calls with higher IDs, by a process whose clock was wrong.
  await sql`update call set queued_at = queued_at + interval '10 minutes' where id = ${oldIds[1]}`.execute(
    deps.db,
  )

  const newIds: number[] = []
  for (const index of [0, 1, 2]) {
    const call = await seedCall(deps, seed, `+1202559000${index}`)
    await complete(owner, call.id, 'answered', index)
    newIds.push(call.id)
  }
  await deliverAll()
  const waiting = await seedCall(deps, seed, '+12025590009')
  const { contact_id: contactId } = await deps.db
    .selectFrom('call')
    .select('contact_id')
    .where('id', '=', oldIds[0] ?? 0)
    .executeTakeFirstOrThrow()
  await addNote(deps, seed.workspaceId, contactId, { callId: oldIds[0] ?? 0, text: 'Likes mornings' })
  return { ...owner, send, caller, subscription, other, contactId, oldIds, newIds, waitingId: waiting.id }
}

async function complete(
  { seed }: Owner,
  callId: number,
  outcome: (typeof outcomes)[number],
  index: number,
): Promise<void> {
  const { deps } = world.service
  const attempt = await dialCall(deps, seed, callId)
  await insertToolCall(deps.db, seed.workspaceId, {
    ...{ callId, attemptId: attempt.id, toolName: 'knowledge_search', arguments: '{"query": "prices"}' },
    ...{ result: `Result ${index}`, isError: false, dryRun: false },
    ...{ startedAt: deps.clock.now(), durationMs: 37 },
  })
  const at = deps.clock.now()
  const transcript = [{ role: 'contact', text: `Hello ${index}`, at: at.toISOString() } as const]
  const result = { ...emptyResult(outcome, 'contact_hung_up'), answeredAt: at, transcript }
  await completeDialedCall(deps, seed, callId, result, {
    summary: `Summary ${index}`,
    sentiment: 'positive',
    goalMet: index % 2 === 0,
    extracted: { budget: index },
  })
  deps.clock.advance(60_000)
}

/** Sends all pending deliveries once. Those that fail have no retries left. */
async function deliverAll(): Promise<void> {
  const { deps } = world.service
  receiver.respondWith(204)
  const sender = startSender(deps)
  const { db } = deps
  await waitForValue(
    () => {
      sender.notify()
      return db.selectFrom('webhook_delivery').select('id').where('status', '=', 'pending').execute()
    },
    (rows) => rows.length === 0,
  )
  await sender.stop()
}

/** Makes all calls of a workspace older. */
async function shiftBack(workspaceId: number, days: number): Promise<void> {
  await sql`
    update call set queued_at = queued_at - make_interval(days => ${days}), ended_at = ended_at - make_interval(days => ${days}),
      answered_at = answered_at - make_interval(days => ${days}), due_at = due_at - make_interval(days => ${days})
    where workspace_id = ${workspaceId}`.execute(world.database.db)
}

const archiveNow = () => archiveCalls(world.service.deps, { days: 0 })

let history: Awaited<ReturnType<typeof seedHistory>>

describe('after archiving', () => {
  const before = new Map<string, unknown>()
  let apiPaths: string[]
  let pagePaths: string[]

  const readApi = async (path: string) => (await history.send({ path })).json<unknown>()
  const readPage = async (path: string) => {
    const { status, text } = await history.open(path)
    expect([path, status]).toEqual([path, 200])
    return text
  }

  beforeAll(async () => {
    history = await seedHistory()
    const { oldIds, newIds, seed, contactId, other, subscription, userId } = history
    const { deps } = world.service
    const [firstId = 0] = oldIds
    const deliveries = await deps.db
      .selectFrom('webhook_delivery')
      .innerJoin('event', 'event.id', 'webhook_delivery.event_id')
      .select(['webhook_delivery.id', 'event.id as eventId'])
      .where('event.call_id', '=', firstId)
      .execute()
    // One delivery of each kind can be replayed.
    await deps.db
      .updateTable('webhook_delivery')
      .set({ status: 'exhausted' })
      .where(
        'id',
        'in',
        deliveries.map(({ id }) => id),
      )
      .execute()
    const yesterday = new Date(deps.clock.now().getTime() - dayMs).toISOString().slice(0, 10)
    apiPaths = [
      '/calls/',
      ...[0, 2, 4, 6, 8, 10].map((offset) => `/calls/?limit=3&offset=${offset}`),
      '/calls/?status=completed',
      '/calls/?status=queued',
      '/calls/?outcome=answered&outcome=busy',
      '/calls/?outcome=voicemail',
      '/calls/?outcome=declined',
      `/calls/?campaign_id=${other}`,
      `/calls/?agent_id=${seed.agentId}`,
      `/calls/?contact_id=${contactId}`,
      '/calls/?phone_number=%2B12025590001',
      '/calls/?external_id=lead+1',
      '/calls/?goal_met=true',
      '/calls/?goal_met=false&limit=1',
      '/calls/?test=only',
      '/calls/?test=exclude',
      ...[...oldIds, ...newIds].map((id) => `/calls/${id}/`),
    ]
    pagePaths = [
      '/overview',
      '/calls',
      '/calls?status=completed',
      '/calls?status=queued',
      '/calls?outcome=busy',
      `/calls?campaign=${other}`,
      `/calls?agent=${seed.agentId}`,
      '/calls?kind=test',
      '/calls?kind=real',
      `/calls?contact=${contactId}`,
      `/calls?before=${newIds[1]}`,
      `/calls?after=${firstId}`,
      `/calls?to=${yesterday}`,
      `/calls?from=${yesterday}`,
      `/calls?to=${yesterday}&before=${oldIds[3]}`,
      '/calls?search=Kim2',
      '/calls?search=%2B1202559',
      '/calls?search=lead+3',
      `/calls?search=${firstId}`,
      `/calls?search=${deliveries[0]?.eventId}`,
      '/calls/export',
      ...[...oldIds, ...newIds].map((id) => `/calls/${id}`),
      '/contacts',
      `/contacts/${contactId}`,
      `/contacts/${contactId}?before=${newIds[0]}`,
      `/contacts/${contactId}/erase`,
      '/campaigns',
      `/campaigns/${seed.campaignId}`,
      `/campaigns/${other}`,
      `/agents/${seed.agentId}`,
      '/integrations/webhooks',
      `/integrations/webhooks/${subscription.id}`,
      `/integrations/webhooks/${subscription.id}?status=exhausted`,
      `/integrations/webhooks/${subscription.id}?status=delivered`,
      '/integrations/callbacks',
      ...deliveries.map(({ id }) => `/integrations/deliveries/${id}`),
      '/settings/retention',
      '/settings/retention/shorten?days=30',
    ]
    await world.database.db
      .insertInto('former_member')
      .values({ workspace_id: seed.workspaceId, user_id: userId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    for (const path of apiPaths) before.set(path, await readApi(path))
    for (const path of pagePaths) before.set(path, await readPage(path))
    await archiveNow()
  })

  it('has moved exactly the old calls', async () => {
    expect(await listArchivedCalls(world.service.deps, history.seed.workspaceId)).toEqual(history.oldIds)
    const rest = await world.database.db
      .selectFrom('call')
      .select('id')
      .where('workspace_id', '=', history.seed.workspaceId)
      .orderBy('id')
      .execute()
    expect(rest.map(({ id }) => id)).toEqual([...history.newIds, history.waitingId])
  })

  it('shows the same calls in the API, with every filter and on every page', async () => {
    const counts = apiPaths
      .filter((path) => path.includes('?'))
      .map((path) => CallList.parse(before.get(path)).results.length)
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(12)
    for (const path of apiPaths) expect([path, await readApi(path)]).toEqual([path, before.get(path)])
  })

  it('shows the same dashboard', async () => {
    for (const path of pagePaths) expect([path, await readPage(path)]).toEqual([path, before.get(path)])
  })

  it('tells support the same story of a call, an event, and a phone number', async () => {
    const { oldIds } = history
    const { deps } = world.service
    const event = await deps.db
      .selectFrom('archived_event')
      .select('id')
      .where('call_id', '=', oldIds[0] ?? 0)
      .executeTakeFirstOrThrow()
    const [story] = await readStories(deps, { callId: oldIds[0] ?? 0 })
    expect(story?.subject).toContain(`Call ${oldIds[0]}`)
    expect(story?.steps.map(({ title }) => title).join()).toMatch(/Attempt 1.*knowledge_search.*/s)
    expect(await readStories(deps, { eventId: event.id })).toMatchObject([
      { subject: expect.stringContaining(event.id) },
    ])
    const [contact] = await readStories(deps, { phoneNumber: '+12025590003' })
    expect(contact?.sentences.join(' ')).toContain(`call ${oldIds[3]}`)
  })

  it("hides archived calls and deliveries from another workspace's members", async () => {
    const foreign = await seedSignedInOwner(world.service)
    const delivery = await world.database.db
      .selectFrom('archived_webhook_delivery')
      .select('id')
      .executeTakeFirstOrThrow()
    for (const path of [`/calls/${history.oldIds[0]}`, `/integrations/deliveries/${delivery.id}`])
      expect([path, (await foreign.open(path)).status]).toEqual([path, 404])
    expect((await foreign.open('/calls')).text).toContain('No calls yet')
    const { key } = await createApiKey(world.service.deps, foreign.seed.workspaceId, foreign.userId, 'Other')
    const send = createSender(world.service.app, key)
    expect((await send({ path: `/calls/${history.oldIds[0]}/` })).statusCode).toBe(404)
    expect((await send({ path: '/calls/' })).json()).toMatchObject({ results: [] })
  })
})

describe('an archived call', () => {
  beforeAll(async () => {
    history = await seedHistory()
    await archiveNow()
  })

  it("isn't changed by canceling it", async () => {
    const [callId = 0] = history.oldIds
    const { key } = await createApiKey(world.service.deps, history.seed.workspaceId, history.userId, 'Cancel')
    const send = createSender(world.service.app, key)
    const before = (await send({ path: `/calls/${callId}/` })).json<unknown>()
    const body = { phone_number: '+12025590000' }
    const response = await send({ method: 'POST', path: '/calls/cancel', body })
    expect(response.json()).toEqual({ canceled: [] })
    expect((await send({ path: `/calls/${callId}/` })).json()).toEqual(before)
  })

  it('can be queued again', async () => {
    const page = await history.open(`/calls/${history.oldIds[4]}`)
    const { page: queued } = await history.browser.press(page, 'Call again')
    expect(queued.text).toContain('Call queued.')
  })

  it("can't be queued again once its number is on the do-not-call list", async () => {
    const page = await history.open(`/calls/${history.oldIds[3]}`)
    const entry = { source: 'dashboard', reason: null } as const
    const number = { phoneNumber: '+12025590003' }
    await addNumberToDoNotCallList(world.service.deps, history.seed.workspaceId, number, entry)
    const { page: rejected } = await history.browser.press(page, 'Call again')
    expect(rejected.text).toContain('do-not-call list')
  })

  it('moves back when one of its deliveries is replayed, and is archived again afterward', async () => {
    const { oldIds, seed } = history
    const { deps } = world.service
    const [, callId = 0] = oldIds
    await exhaustArchived(callId)
    const before = await history.send({ path: `/calls/${callId}/` })
    const page = await history.open(`/calls/${callId}`)
    const { page: replayed } = await history.browser.press(page, 'Replay')
    expect(replayed.text).toContain('Replaying 1 delivery.')
    expect(await listArchivedCalls(deps, seed.workspaceId)).not.toContain(callId)

    await archiveNow()
    expect(await listArchivedCalls(deps, seed.workspaceId)).not.toContain(callId)
    const sent = receiver.requests.length
    await deliverAll()
    expect(receiver.requests.length).toBe(sent + 1)
    await archiveNow()
    expect(await listArchivedCalls(deps, seed.workspaceId)).toContain(callId)
    expect((await history.send({ path: `/calls/${callId}/` })).json()).toEqual(before.json())
    const deliveries = await deps.db
      .selectFrom('archived_webhook_delivery')
      .innerJoin('archived_delivery_attempt', 'delivery_id', 'archived_webhook_delivery.id')
      .innerJoin('archived_event', 'archived_event.id', 'event_id')
      .select(['status', 'number'])
      .where('call_id', '=', callId)
      .orderBy('number')
      .execute()
    expect(deliveries).toEqual([
      { status: 'delivered', number: 1 },
      { status: 'delivered', number: 2 },
    ])
  })

  it('moves back when all failed deliveries of its subscription are replayed', async () => {
    const { oldIds, seed, subscription } = history
    const failedIds = [oldIds[2] ?? 0, oldIds[3] ?? 0]
    for (const callId of failedIds) await exhaustArchived(callId)
    const page = await history.open(`/integrations/webhooks/${subscription.id}`)
    const { page: replayed } = await history.browser.press(page, 'Replay failed deliveries')
    expect(replayed.text).toContain('Replaying 2 deliveries.')
    const archived = await listArchivedCalls(world.service.deps, seed.workspaceId)
    expect(archived.filter((id) => failedIds.includes(id))).toEqual([])
    await deliverAll()
  })

  it('loses the deliveries of a subscription 30 days after it ended', async () => {
    const { caller, subscription } = history
    const { deps } = world.service
    await archiveNow()
    const deliveries = deps.db
      .selectFrom('archived_webhook_delivery')
      .select('id')
      .where('subscription_id', '=', subscription.id)
    expect((await deliveries.execute()).length).toBeGreaterThan(3)
    await unsubscribe(deps, caller, subscription.id)
    await deleteOldSubscriptions(deps.db, new Date(deps.clock.now().getTime() + 31 * dayMs))
    expect(await deliveries.execute()).toEqual([])
    const page = await history.open(`/calls/${history.oldIds[5]}`)
    expect(page.text).toContain('The deliveries to 1 webhook subscription were deleted')
  })
})

it('shows the same overview and the same subscription if all calls of a workspace are archived', async () => {
  const { deps } = world.service
  const owner = await seedSignedInOwner(world.service)
  const caller = await seedApiKeyCaller(deps, { ...owner.seed, userId: owner.userId })
  const hook = { target_url: receiver.url(), event: 'call.completed' } as const
  const { subscription } = await subscribe(deps, caller, hook)
  const call = await seedCall(deps, owner.seed, '+12025590020', { callback_url: receiver.url('/callback') })
  await complete(owner, call.id, 'busy', 0)
  deps.clock.advance(60_000)
  await deliverAll()
  await shiftBack(owner.seed.workspaceId, 200)
  const readPages = () =>
    Promise.all(
      [
        '/overview',
        '/integrations/webhooks',
        `/integrations/webhooks/${subscription.id}`,
        '/integrations/callbacks',
        `/campaigns/${owner.seed.campaignId}`,
      ].map(async (path) => (await owner.open(path)).text),
    )
  const before = await readPages()
  await archiveNow()
  expect(await listArchivedCalls(deps, owner.seed.workspaceId)).toEqual([call.id])
  expect(await readPages()).toEqual(before)
})

/** Makes the archived delivery of a call one that can be replayed. */
const exhaustArchived = (callId: number) =>
  sql`
    update archived_webhook_delivery set status = 'exhausted'
    where event_id in (select id from archived_event where call_id = ${callId})`.execute(world.database.db)
