import { describe, expect, it } from '@jest/globals'
import type { Contact } from '@outdial/contract'
import { toActor } from '../../platform/core/actor.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { lockCampaign } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { getCall, listCalls } from '../../queue/calls/get-calls.ts'
import { queueCalls, type QueueResult } from '../../queue/calls/queue-calls.ts'
import { archiveCampaign } from '../../queue/campaigns/campaign-status.ts'
import { listEvents, seedCall, toCaller } from '../support/calls.ts'
import { freshNumber, type Seed, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

/** Queues a call in a transaction that has locked the campaign, but not the contact. */
async function queueUnlocked(db: Db, contact: Contact): Promise<QueueResult | undefined> {
  const { workspaceId, campaignId } = world.seed
  const campaign = await lockCampaign(db, workspaceId, campaignId, 'share')
  if (campaign === undefined) throw new Error("the campaign doesn't exist")
  const call = {
    campaignId,
    campaign,
    contactId: contact.id,
    callee: { phoneNumber: contact.phone_number, timeZone: null, consent: null, use: null },
    isListed: false,
    scheduledAt: null,
    ifOpen: 'skip',
    test: false,
    metadata: {},
    origin: toActor(toCaller(world.seed)),
  } as const
  const [result] = await queueCalls({ ...world.deps, db }, workspaceId, [call], world.deps.clock.now())
  return result
}

const findCalls = async (owner: Seed) =>
  (await listCalls(world.deps, toCaller(owner), { limit: 200, offset: 0, outcome: undefined })).items

describe('when several requests name the same number', () => {
  it('queues one call if 20 requests arrive at the same time', async () => {
    const number = freshNumber()
    const calls = await Promise.all(
      Array.from({ length: 20 }, () => seedCall(world.deps, world.seed, number)),
    )
    expect(new Set(calls.map((call) => call.id)).size).toBe(1)
    expect(await findCalls(world.seed)).toHaveLength(1)
  })

  it("queues one call for two simultaneous requests, even if they haven't locked the contact", async () => {
    const { contact, id } = await seedCall(world.deps, world.seed, freshNumber())
    await world.deps.db.deleteFrom('call').where('id', '=', id).execute()
    const firstQueued = Promise.withResolvers<void>()
    const secondAsks = Promise.withResolvers<void>()
    const first = world.deps.db.transaction().execute(async (db) => {
      const result = await queueUnlocked(db, contact)
      firstQueued.resolve()
      await secondAsks.promise
      return result
    })
    await firstQueued.promise
    const second = world.deps.db.transaction().execute((db) => queueUnlocked(db, contact))
    await waitForLockWaiters(world.deps.db)
    secondAsks.resolve()
    const results = await Promise.all([first, second])
    expect(results[0]?.id).toBe(results[1]?.id)
    expect(results.map((result) => result?.queued)).toEqual([true, false])
  })

  it('queues another call if requested, and otherwise returns a call that is still open', async () => {
    const number = freshNumber()
    const first = await seedCall(world.deps, world.seed, number)
    const second = await seedCall(world.deps, world.seed, number, { if_already_queued: 'queue' })
    const third = await seedCall(world.deps, world.seed, number, { if_already_queued: 'queue' })
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    await world.deps.db
      .updateTable('call')
      .set({ status: 'completed', outcome: 'canceled', next_attempt_at: null })
      .where('id', 'in', [first.id, second.id])
      .execute()
    expect((await seedCall(world.deps, world.seed, number)).id).toBe(third.id)
  })

  it('allows an open test call and an open real call at the same time', async () => {
    const number = freshNumber()
    const real = await seedCall(world.deps, world.seed, number)
    const test = await seedCall(world.deps, world.seed, number, { test: true })
    expect(test.id).not.toBe(real.id)
    expect((await seedCall(world.deps, world.seed, number, { test: true })).id).toBe(test.id)
    expect((await seedCall(world.deps, world.seed, number)).id).toBe(real.id)
  })

  it('lets two campaigns each queue a call to the same contact', async () => {
    const number = freshNumber()
    const other = await seedCampaign(world.deps, { ...world.seed, name: 'Other' })
    const first = await seedCall(world.deps, world.seed, number)
    expect((await seedCall(world.deps, world.seed, number, { campaign_id: other })).id).not.toBe(first.id)
  })
})

describe('the do-not-call list', () => {
  it("immediately suppresses a call to one of its numbers, and publishes the call's event", async () => {
    const call = await seedCall(world.deps, world.seed, freshNumber(), { do_not_call: true })
    expect(call).toMatchObject({
      status: 'completed',
      outcome: 'suppressed',
      ended_reason: 'do_not_call',
      attempts: 0,
    })
    expect((await listEvents(world.deps, call.id)).map((event) => event.data)).toEqual([call])
  })

  it('keeps a number even if a later request has do_not_call set to false', async () => {
    const number = freshNumber()
    await seedCall(world.deps, world.seed, number, { do_not_call: true })
    expect((await seedCall(world.deps, world.seed, number, { do_not_call: false })).outcome).toBe(
      'suppressed',
    )
  })

  it('suppresses queued calls in every campaign when their number is added', async () => {
    const number = freshNumber()
    const other = await seedCampaign(world.deps, { ...world.seed, name: 'Other' })
    const waiting = await seedCall(world.deps, world.seed, number, { campaign_id: other })
    await seedCall(world.deps, world.seed, number, { do_not_call: true })
    expect(await getCall(world.deps, toCaller(world.seed), waiting.id)).toMatchObject({
      outcome: 'suppressed',
    })
    expect(await listEvents(world.deps, waiting.id)).toHaveLength(1)
  })

  it('is separate for each workspace', async () => {
    const number = freshNumber()
    await seedCall(world.deps, world.seed, number, { do_not_call: true })
    const other = await seedWorkspace(world.deps, 'Globex')
    expect((await seedCall(world.deps, other, number)).status).toBe('queued')
  })
})

describe('a campaign', () => {
  it('rejects new calls once the campaign is archived', async () => {
    await archiveCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
    await expect(seedCall(world.deps, world.seed, freshNumber())).rejects.toMatchObject({
      code: 'campaign_archived',
    })
  })

  it("isn't found if it belongs to another workspace", async () => {
    const other = await seedWorkspace(world.deps, 'Globex')
    await expect(
      seedCall(world.deps, world.seed, freshNumber(), { campaign_id: other.campaignId }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('cancels a call that is still being queued when the campaign is archived', async () => {
    const queued = Promise.withResolvers<void>()
    const archiving = Promise.withResolvers<void>()
    const { contact, id } = await seedCall(world.deps, world.seed, freshNumber())
    await world.deps.db.deleteFrom('call').where('id', '=', id).execute()
    const queueing = world.deps.db.transaction().execute(async (db) => {
      const result = await queueUnlocked(db, contact)
      queued.resolve()
      await archiving.promise
      return result
    })
    await queued.promise
    const archived = archiveCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
    await waitForLockWaiters(world.deps.db)
    archiving.resolve()
    const result = await queueing
    await archived
    expect(await getCall(world.deps, toCaller(world.seed), result?.id ?? 0)).toMatchObject({
      outcome: 'canceled',
      ended_reason: 'campaign_archived',
    })
  })
})

describe('reading calls', () => {
  it("returns a call by ID, but not another workspace's call", async () => {
    const call = await seedCall(world.deps, world.seed, freshNumber(), { metadata: { lead: '7' } })
    expect(await getCall(world.deps, toCaller(world.seed), call.id)).toEqual(call)
    const other = await seedWorkspace(world.deps, 'Globex')
    await expect(getCall(world.deps, toCaller(other), call.id)).rejects.toThrow(ApiError)
  })

  it('lists calls newest first, page by page, and filters them', async () => {
    const ids: number[] = []
    for (let index = 0; index < 5; index += 1)
      ids.unshift((await seedCall(world.deps, world.seed, freshNumber())).id)
    const suppressed = await seedCall(world.deps, world.seed, freshNumber(), { do_not_call: true })
    const list = async (query: object) => {
      const page = await listCalls(world.deps, toCaller(world.seed), {
        limit: 50,
        offset: 0,
        outcome: undefined,
        ...query,
      })
      return { ids: page.items.map((call) => call.id), hasMore: page.hasMore }
    }
    expect(await list({ limit: 2 })).toEqual({ ids: [suppressed.id, ids[0]], hasMore: true })
    expect(await list({ limit: 2, offset: 4 })).toEqual({ ids: ids.slice(3), hasMore: false })
    expect(await list({ status: 'queued' })).toEqual({ ids, hasMore: false })
    expect(await list({ outcome: ['suppressed', 'busy'] })).toEqual({ ids: [suppressed.id], hasMore: false })
    expect(await list({ campaign_id: world.seed.campaignId + 1 })).toEqual({ ids: [], hasMore: false })
    expect((await list({ agent_id: world.seed.agentId })).ids).toHaveLength(6)
  })
})
