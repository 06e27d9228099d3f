import { describe, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { type ClaimedAttempt, claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { countCapacity, lockNextCampaigns } from '../../calling/dialer/claim-store.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { getCall, listEvents, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { type TestDeps } from '../support/deps.ts'
import { freshNumber, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
const claim = (capacity = 50, claimDeps: TestDeps = world.deps): Promise<ClaimedAttempt[]> =>
  claimAndSettle(claimDeps, lease, capacity)
const queueMany = async (count: number, campaignId = world.seed.campaignId, owner = world.seed) => {
  for (let index = 0; index < count; index += 1)
    await seedCall(world.deps, owner, freshNumber(), { campaign_id: campaignId })
}
const countLiveCalls = async (campaignId: number) =>
  (
    await world.deps.db
      .selectFrom('call_attempt')
      .select('id')
      .where('campaign_id', '=', campaignId)
      .where('ended_at', 'is', null)
      .execute()
  ).length

describe('limits', () => {
  it("four dialers that claim calls at the same time never exceed a campaign's limit", async () => {
    await queueMany(60)
    let claimedCount = 0
    for (let round = 0; claimedCount < 60 && round < 60; round += 1) {
      const claims = (await Promise.all([claim(), claim(), claim(), claim()])).flat()
      const live = await countLiveCalls(world.seed.campaignId)
      expect(live).toBeLessThanOrEqual(5)
      const ending = claims
        .slice(0, 1 + (round % 4))
        .map((attempt) => finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy')))
      // Calls end while other calls are claimed.
      const [, more] = await Promise.all([Promise.all(ending), claim(), claim()])
      expect(await countLiveCalls(world.seed.campaignId)).toBeLessThanOrEqual(5)
      const remaining = [...claims.slice(1 + (round % 4)), ...more]
      claimedCount += claims.length + more.length
      for (const attempt of remaining)
        await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
      const rest = await world.deps.db
        .selectFrom('call_attempt')
        .select(['id', 'fence', 'workspace_id as workspaceId'])
        .where('ended_at', 'is', null)
        .execute()
      for (const attempt of rest) await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    }
    const open = await world.deps.db
      .selectFrom('call')
      .select('id')
      .where('status', '<>', 'completed')
      .execute()
    expect(open).toEqual([])
  })

  it("a dialer skips a campaign while another dialer claims its calls, and then counts those calls toward the campaign's limit", async () => {
    await queueMany(10)
    const claimed = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const first = world.deps.db.transaction().execute(async (db) => {
      const attempts = await claim(50, { ...world.deps, db })
      claimed.resolve()
      await commit.promise
      return attempts
    })
    await claimed.promise
    expect(await claim()).toEqual([])
    commit.resolve()
    expect(await first).toHaveLength(5)
    expect(await claim()).toEqual([])
    expect(await countLiveCalls(world.seed.campaignId)).toBe(5)
  })

  it("a dialer counts a campaign's calls in progress only after it has locked the campaign", async () => {
    await queueMany(10)
    await world.deps.db.transaction().execute(async (db) => {
      const campaigns = await lockNextCampaigns(db, world.deps.clock.now())
      expect(campaigns).toContain(world.seed.campaignId)
      // Adds attempts, as if another claim had committed them while this one waited for the lock.
      const waiting = await world.deps.db
        .selectFrom('call')
        .selectAll()
        .where('campaign_id', '=', world.seed.campaignId)
        .limit(5)
        .execute()
      await world.deps.db
        .insertInto('call_attempt')
        .values(
          waiting.map((call) => ({
            workspace_id: call.workspace_id,
            call_id: call.id,
            campaign_id: call.campaign_id,
            number: 1,
            to_number: call.to_number,
            test: false,
            provider: 'simulated',
            worker_id: lease.workerId,
            lease_until: new Date(Date.now() + 60_000),
            started_at: world.deps.clock.now(),
          })),
        )
        .execute()
      const counted = await countCapacity(db, [world.seed.campaignId], 50, world.deps.clock.now())
      expect(counted).toMatchObject([{ free: 0 }])
    })
  })

  it("if two dialers claim two campaigns' calls to the same number at the same time, only one of the calls is claimed", async () => {
    const number = freshNumber()
    const other = await seedCampaign(world.deps, { ...world.seed, name: 'Other' })
    expect(await claim()).toEqual([]) // the other campaign leaves the queue, so the first claim doesn't lock it
    await seedCall(world.deps, world.seed, number)
    const claimed = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const first = world.deps.db.transaction().execute(async (db) => {
      const attempts = await claim(50, { ...world.deps, db })
      claimed.resolve()
      await commit.promise
      return attempts
    })
    await claimed.promise
    const { id } = await world.deps.db
      .selectFrom('contact')
      .select('id')
      .where('phone_number', '=', number)
      .executeTakeFirstOrThrow()
    await insertDue(id, other, number)
    const second = claim()
    await waitForLockWaiters(world.deps.db)
    commit.resolve()
    expect(await first).toHaveLength(1)
    expect(await second).toEqual([])
    expect(await countLiveCalls(other)).toBe(0)
  })

  /** Queues a due call without locking the contact's row, which the uncommitted claim may have locked. */
  async function insertDue(contactId: number, campaignId: number, number: string): Promise<void> {
    const now = world.deps.clock.now()
    await world.deps.db
      .insertInto('call')
      .values({
        workspace_id: world.seed.workspaceId,
        campaign_id: campaignId,
        contact_id: contactId,
        agent_id: world.seed.agentId,
        phone_number_id: world.seed.phoneNumberId,
        from_number: '+12025550199',
        to_number: number,
        queued_at: now,
        due_at: now,
        next_attempt_at: now,
      })
      .execute()
  }

  it("skips a call to a number that is already being called, and claims the campaign's next call", async () => {
    const number = freshNumber()
    const narrow = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 1 })
    await seedCall(world.deps, world.seed, number)
    expect(await claim()).toHaveLength(1)
    await seedCall(world.deps, world.seed, number, { campaign_id: narrow })
    const nextCall = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: narrow })
    expect((await claim()).map((attempt) => attempt.request.callId)).toEqual([nextCall.id])
  })

  it('when ten dialers claim calls at the same time, each call is claimed exactly once', async () => {
    const wide = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 100 })
    await queueMany(20, wide)
    const claimed = (await Promise.all(Array.from({ length: 10 }, () => claim()))).flat()
    const rest = await claim()
    const ids = [...claimed, ...rest].map((attempt) => attempt.request.callId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(20)
  })
})

describe('turns and capacity', () => {
  it('divides limited capacity among workspaces and campaigns, regardless of how many calls each has waiting', async () => {
    const backlog = await seedCampaign(world.deps, {
      ...world.seed,
      name: 'Backlog',
      maxConcurrentCalls: 100,
    })
    await queueMany(30, backlog)
    const small = await seedCampaign(world.deps, { ...world.seed, name: 'Small' })
    await queueMany(1, small)
    const other = await seedWorkspace(world.deps, 'Globex')
    await queueMany(1, other.campaignId, other)
    const claimed = await claim(4)
    const from = Map.groupBy(claimed, (attempt) => attempt.campaignId)
    expect(from.get(small)).toHaveLength(1)
    expect(from.get(other.campaignId)).toHaveLength(1)
    expect(from.get(backlog)).toHaveLength(2)
  })

  it('gives every campaign a turn when there is capacity for one call at a time', async () => {
    const campaigns = [world.seed.campaignId]
    for (const name of ['B', 'C']) campaigns.push(await seedCampaign(world.deps, { ...world.seed, name }))
    for (const campaign of campaigns) await queueMany(4, campaign)
    const turns: number[] = []
    for (let turn = 0; turn < 6; turn += 1)
      turns.push(...(await claim(1)).map((attempt) => attempt.campaignId))
    expect(turns).toEqual([...campaigns, ...campaigns])
  })

  it("if a campaign's only waiting call is to a number that is being called, claims a call of the next campaign", async () => {
    const busy = freshNumber()
    await seedCall(world.deps, world.seed, busy)
    expect(await claim()).toHaveLength(1)
    const [first, second] = [
      await seedCampaign(world.deps, { ...world.seed, name: 'First' }),
      await seedCampaign(world.deps, { ...world.seed, name: 'Second' }),
    ]
    await seedCall(world.deps, world.seed, busy, { campaign_id: first })
    await queueMany(1, second)
    expect((await claim(1)).map((attempt) => attempt.campaignId)).toEqual([second])
  })

  it('gives two workspaces turns alternately, regardless of how many campaigns each has', async () => {
    for (const name of ['B', 'C', 'D'])
      await queueMany(1, await seedCampaign(world.deps, { ...world.seed, name }))
    const other = await seedWorkspace(world.deps, 'Globex')
    await queueMany(2, other.campaignId, other)
    const turns: number[] = []
    for (let turn = 0; turn < 4; turn += 1)
      turns.push(...(await claim(1)).map((attempt) => attempt.workspaceId))
    expect(turns).toEqual([
      world.seed.workspaceId,
      other.workspaceId,
      world.seed.workspaceId,
      other.workspaceId,
    ])
  })
})

describe('eligible calls', () => {
  it('suppresses a call whose number was added to the do-not-call list after it was queued', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const list = world.deps.db.insertInto('do_not_call').columns(['workspace_id', 'number_hash', 'source'])
    await list
      .expression((eb) =>
        eb
          .selectFrom('call')
          .select((call) => [
            'call.workspace_id',
            call.fn<Buffer>('number_hash', ['call.workspace_id', 'call.to_number']).as('number_hash'),
            call.val('dashboard' as const).as('source'),
          ])
          .where('call.id', '=', id),
      )
      .execute()
    expect(await claim()).toEqual([])
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({ outcome: 'suppressed', attempts: 0 })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })

  it('reschedules a due call if calling hours end before it is claimed', async () => {
    const hours = { days: ['mon' as const, 'tue' as const], start: '09:00', end: '11:30' }
    const closing = await seedCampaign(world.deps, { ...world.seed, callingHours: hours })
    const { id } = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: closing })
    world.deps.clock.advance(45 * 60_000)
    expect(await claim()).toEqual([])
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      waiting_for: 'calling_hours',
      next_attempt_at: '2026-05-05T13:00:00.000Z',
    })
  })

  it('claims a call within calling hours although many calls outside calling hours come before it', async () => {
    const hours = { days: ['mon' as const], start: '09:00', end: '11:30' }
    const wide = await seedCampaign(world.deps, {
      ...world.seed,
      callingHours: hours,
      maxConcurrentCalls: 20,
    })
    await queueMany(25, wide)
    world.deps.clock.advance(45 * 60_000)
    const inChicago = await seedCall(world.deps, world.seed, '+13125550123', { campaign_id: wide })
    expect((await claim(20)).map((attempt) => attempt.request.callId)).toEqual([inChicago.id])
  })

  it("claims test calls beyond the campaign's limit, and does not let them delay a real call to the same number", async () => {
    const narrow = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 1 })
    const number = freshNumber()
    await seedCall(world.deps, world.seed, number, { campaign_id: narrow, test: true })
    await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: narrow, test: true })
    expect(await claimTestCalls(world.deps, lease, 50)).toHaveLength(2)
    await seedCall(world.deps, world.seed, number, { campaign_id: narrow })
    expect(await claim()).toHaveLength(1)
  })
})
