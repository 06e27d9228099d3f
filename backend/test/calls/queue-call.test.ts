import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { getCall, listCalls } from '../../calls/get-calls.ts'
import { queueCall } from '../../calls/queue-call.ts'
import { archiveCampaign } from '../../campaigns/campaign-status.ts'
import { ApiError } from '../../core/errors.ts'
import { listEvents, seedCall, toCaller } from '../support/calls.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { freshNumber, type Seed, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiter } from '../support/locks.ts'

let database: TestDatabase
let deps: TestDeps
let seed: Seed
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  deps = testDeps(database.db)
  seed = await seedWorkspace(deps)
})

const findCalls = async (owner: Seed) =>
  (await listCalls(deps, toCaller(owner), { limit: 200, offset: 0, outcome: undefined })).items

it('queues one call where fifty ask at once', async () => {
  const number = freshNumber()
  const calls = await Promise.all(Array.from({ length: 50 }, () => seedCall(deps, seed, number)))
  expect(new Set(calls.map((call) => call.id)).size).toBe(1)
  expect(await findCalls(seed)).toHaveLength(1)
})

it('queues one call where two ask at once without the lock on the contact', async () => {
  const { contact, id } = await seedCall(deps, seed, freshNumber())
  await deps.db.deleteFrom('call').where('id', '=', id).execute()
  const request = {
    workspaceId: seed.workspaceId,
    campaignId: seed.campaignId,
    contactId: contact.id,
    now: deps.clock.now(),
    scheduledAt: null,
    ifAlreadyQueued: 'skip' as const,
    test: false,
    metadata: {},
    callbackUrl: null,
  }
  const firstQueued = Promise.withResolvers<void>()
  const secondAsks = Promise.withResolvers<void>()
  const first = deps.db.transaction().execute(async (tx) => {
    const result = await queueCall(tx, request)
    firstQueued.resolve()
    await secondAsks.promise
    return result
  })
  await firstQueued.promise
  const second = deps.db.transaction().execute((tx) => queueCall(tx, request))
  await waitForLockWaiter(deps)
  secondAsks.resolve()
  const results = await Promise.all([first, second])
  expect(results[0].callId).toBe(results[1].callId)
  expect(results.map((result) => result.queued)).toEqual([true, false])
})

it('queues another where it is asked to, and skips while that one is open', async () => {
  const number = freshNumber()
  const first = await seedCall(deps, seed, number)
  const second = await seedCall(deps, seed, number, { if_already_queued: 'queue' })
  const third = await seedCall(deps, seed, number, { if_already_queued: 'queue' })
  expect(new Set([first.id, second.id, third.id]).size).toBe(3)
  await deps.db
    .updateTable('call')
    .set({ status: 'completed', outcome: 'canceled', next_attempt_at: null })
    .where('id', 'in', [first.id, second.id])
    .execute()
  expect((await seedCall(deps, seed, number)).id).toBe(third.id)
})

it('lets a test call and a real one stand side by side', async () => {
  const number = freshNumber()
  const real = await seedCall(deps, seed, number)
  const test = await seedCall(deps, seed, number, { test: true })
  expect(test.id).not.toBe(real.id)
  expect((await seedCall(deps, seed, number, { test: true })).id).toBe(test.id)
  expect((await seedCall(deps, seed, number)).id).toBe(real.id)
})

it('lets two campaigns queue a call to the same contact', async () => {
  const number = freshNumber()
  const other = await seedCampaign(deps, { ...seed, name: 'Other' })
  const first = await seedCall(deps, seed, number)
  expect((await seedCall(deps, seed, number, { campaign_id: other })).id).not.toBe(first.id)
})

it('completes a call to a number on the do-not-call list as suppressed at once', async () => {
  const call = await seedCall(deps, seed, freshNumber(), { do_not_call: true })
  expect(call).toMatchObject({
    status: 'completed',
    outcome: 'suppressed',
    ended_reason: 'do_not_call',
    attempts: 0,
  })
  expect((await listEvents(deps, call.id)).map((event) => event.data)).toEqual([call])
})

it('never takes a number off the do-not-call list', async () => {
  const number = freshNumber()
  await seedCall(deps, seed, number, { do_not_call: true })
  expect((await seedCall(deps, seed, number, { do_not_call: false })).outcome).toBe('suppressed')
})

it('completes what waits for a number, in every campaign, when it is put on the do-not-call list', async () => {
  const number = freshNumber()
  const other = await seedCampaign(deps, { ...seed, name: 'Other' })
  const waiting = await seedCall(deps, seed, number, { campaign_id: other })
  await seedCall(deps, seed, number, { do_not_call: true })
  expect(await getCall(deps, toCaller(seed), waiting.id)).toMatchObject({ outcome: 'suppressed' })
  expect(await listEvents(deps, waiting.id)).toHaveLength(1)
})

it('keeps the do-not-call lists of two workspaces apart', async () => {
  const number = freshNumber()
  await seedCall(deps, seed, number, { do_not_call: true })
  const other = await seedWorkspace(deps, 'Globex')
  expect((await seedCall(deps, other, number)).status).toBe('queued')
})

it('refuses an archived campaign', async () => {
  await archiveCampaign(deps, seed.workspaceId, seed.campaignId)
  await expect(seedCall(deps, seed, freshNumber())).rejects.toMatchObject({ code: 'campaign_archived' })
})

it('knows no campaign of another workspace', async () => {
  const other = await seedWorkspace(deps, 'Globex')
  await expect(seedCall(deps, seed, freshNumber(), { campaign_id: other.campaignId })).rejects.toMatchObject({
    code: 'not_found',
  })
})

it('leaves no call behind in a campaign that is archived meanwhile', async () => {
  const queued = Promise.withResolvers<void>()
  const archiving = Promise.withResolvers<void>()
  const { contact, id } = await seedCall(deps, seed, freshNumber())
  await deps.db.deleteFrom('call').where('id', '=', id).execute()
  const queueing = deps.db.transaction().execute(async (tx) => {
    const result = await queueCall(tx, {
      workspaceId: seed.workspaceId,
      campaignId: seed.campaignId,
      contactId: contact.id,
      now: deps.clock.now(),
      scheduledAt: null,
      ifAlreadyQueued: 'skip',
      test: false,
      metadata: {},
      callbackUrl: null,
    })
    queued.resolve()
    await archiving.promise
    return result
  })
  await queued.promise
  const archived = archiveCampaign(deps, seed.workspaceId, seed.campaignId)
  await waitForLockWaiter(deps)
  archiving.resolve()
  const { callId } = await queueing
  await archived
  expect(await getCall(deps, toCaller(seed), callId)).toMatchObject({
    outcome: 'canceled',
    ended_reason: 'campaign_archived',
  })
})

it('answers a call by id, and no call of another workspace', async () => {
  const call = await seedCall(deps, seed, freshNumber(), { metadata: { lead: '7' } })
  expect(await getCall(deps, toCaller(seed), call.id)).toEqual(call)
  const other = await seedWorkspace(deps, 'Globex')
  await expect(getCall(deps, toCaller(other), call.id)).rejects.toThrow(ApiError)
})

it('lists calls newest first, page by page, filtered', async () => {
  const ids: number[] = []
  for (let index = 0; index < 5; index += 1) ids.unshift((await seedCall(deps, seed, freshNumber())).id)
  const suppressed = await seedCall(deps, seed, freshNumber(), { do_not_call: true })
  const list = async (query: object) => {
    const page = await listCalls(deps, toCaller(seed), { limit: 50, offset: 0, outcome: undefined, ...query })
    return { ids: page.items.map((call) => call.id), more: page.more }
  }
  expect(await list({ limit: 2 })).toEqual({ ids: [suppressed.id, ids[0]], more: true })
  expect(await list({ limit: 2, offset: 4 })).toEqual({ ids: ids.slice(3), more: false })
  expect(await list({ status: 'queued' })).toEqual({ ids, more: false })
  expect(await list({ outcome: ['suppressed', 'busy'] })).toEqual({ ids: [suppressed.id], more: false })
  expect(await list({ campaign_id: seed.campaignId + 1 })).toEqual({ ids: [], more: false })
  expect((await list({ agent_id: seed.agentId })).ids).toHaveLength(6)
})
