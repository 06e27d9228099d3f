import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { type ClaimedAttempt } from '../../calling/dialer/claim-calls.ts'
import { settleCampaigns } from '../../calling/dialer/claim-store.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { lockCampaignForChange } from '../../platform/db/locks.ts'
import { seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { waitForValue } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

// A campaign without a call to claim leaves the queue of campaigns. Every change that gives the campaign such a call must put
// it back.

const world = useCallsWorld()
const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

const claim = (): Promise<ClaimedAttempt[]> => claimAndSettle(world.deps, lease, 50)

/** Runs claims that find no calls, so that this workspace's campaigns leave the queue. */
async function emptyQueue(): Promise<void> {
  for (let round = 0; round < 3; round += 1) expect(await claim()).toEqual([])
  const waiting = await world.deps.db
    .selectFrom('campaign_queue')
    .select('campaign_id')
    .where('campaign_id', '=', world.seed.campaignId)
    .where('claim_at', '<=', world.deps.clock.now())
    .execute()
  expect(waiting).toEqual([])
}

const queue = (number = freshNumber(), values: object = {}) =>
  seedCall(world.deps, world.seed, number, values)

const claimedIds = async () => (await claim()).map(({ request }) => request.callId)

it('claims a new call of a campaign that had left the queue of campaigns because it had no calls to claim', async () => {
  await emptyQueue()
  const { id } = await queue()
  expect(await claimedIds()).toEqual([id])
})

it('claims a call that an older version of the service adds, even if the campaign runs out of other calls before the commit', async () => {
  const { id } = await queue()
  // Queues the call as an older version of the service does, which doesn't know the queue of campaigns.
  await world.deps.db.transaction().execute(async (db) => {
    await db
      .selectFrom('campaign')
      .select('id')
      .where('id', '=', world.seed.campaignId)
      .forKeyShare()
      .execute()
    const now = world.deps.clock.now()
    const call = await db.selectFrom('call').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    await db
      .insertInto('call')
      .values({
        workspace_id: call.workspace_id,
        campaign_id: call.campaign_id,
        contact_id: call.contact_id,
        agent_id: call.agent_id,
        phone_number_id: call.phone_number_id,
        from_number: call.from_number,
        to_number: freshNumber(),
        additional: true,
        queued_at: now,
        due_at: now,
        next_attempt_at: now,
      })
      .execute()
    expect(await claimedIds()).toEqual([id])
    expect(await claim()).toEqual([])
  })
  expect(await claim()).toHaveLength(1)
})

it("claims a call even if its campaign runs out of other calls while the call's transaction is committing", async () => {
  const { id } = await queue()
  await world.deps.db.transaction().execute(async (db) => {
    await seedCall({ ...world.deps, db }, world.seed, freshNumber())
    await sql`set constraints all immediate`.execute(db) // runs the deferred triggers, as the commit does
    expect(await claimedIds()).toEqual([id])
    expect(await claim()).toEqual([])
  })
  expect(await claim()).toHaveLength(1)
})

it('claims a call without waiting for a transaction that puts its campaign in the queue', async () => {
  const { id } = await queue()
  await world.deps.db.transaction().execute(async (db) => {
    for (const status of ['paused', 'live'] as const)
      await db.updateTable('agent').set({ status }).where('id', '=', world.seed.agentId).execute()
    await sql`set constraints all immediate`.execute(db)
    expect(await claimedIds()).toEqual([id])
  })
})

it("after a claim, schedules the campaign's next turn without waiting for a transaction that edits the campaign", async () => {
  const { id } = await queue()
  const { deps, seed } = world
  await deps.db.transaction().execute(async (db) => {
    await lockCampaignForChange(db, seed, 'rules')
    // A claim settles its campaigns after its commit. The edit's transaction can wait for the same row, so settling must not
    // wait for the edit.
    await settleCampaigns(deps.db, [seed.campaignId], [seed.campaignId], new Date(0))
  })
  expect(await claimedIds()).toEqual([id])
})

it('claims the calls of a campaign that is resumed', async () => {
  const set = (status: 'paused' | 'active') =>
    world.deps.db.updateTable('campaign').set({ status }).where('id', '=', world.seed.campaignId).execute()
  await set('paused')
  const { id } = await queue()
  await emptyQueue()
  await set('active')
  expect(await claimedIds()).toEqual([id])
})

it('claims the calls of an agent that goes live, and of a number that becomes active', async () => {
  const { db } = world.deps
  await db.updateTable('agent').set({ status: 'paused' }).where('id', '=', world.seed.agentId).execute()
  const { id } = await queue()
  await emptyQueue()
  await db.updateTable('agent').set({ status: 'live' }).where('id', '=', world.seed.agentId).execute()
  expect(await claimedIds()).toEqual([id])

  const number = { id: world.seed.phoneNumberId }
  await db.updateTable('phone_number').set({ status: 'retired' }).where('id', '=', number.id).execute()
  const second = await queue()
  await emptyQueue()
  await db.updateTable('phone_number').set({ status: 'active' }).where('id', '=', number.id).execute()
  expect(await claimedIds()).toEqual([second.id])
})

it('claims more calls of a campaign when its limit is raised, and when one of its calls ends', async () => {
  const narrow = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 1 })
  for (let count = 0; count < 3; count += 1) await queue(freshNumber(), { campaign_id: narrow })
  const [first] = await claim()
  expect(await claim()).toEqual([])
  await world.deps.db
    .updateTable('campaign')
    .set({ max_concurrent_calls: 2 })
    .where('id', '=', narrow)
    .execute()
  expect(await claim()).toHaveLength(1)
  expect(await claim()).toEqual([])
  if (first === undefined) throw new Error('no call was claimed')
  await finishAttempt(world.deps, first, emptyResult('busy', 'line_busy'))
  expect(await claim()).toHaveLength(1)
})

it('claims the next call once the end of an attempt is committed, even if a claim just before the commit found no capacity', async () => {
  const narrow = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 1 })
  for (let count = 0; count < 2; count += 1) await queue(freshNumber(), { campaign_id: narrow })
  const [first] = await claim()
  if (first === undefined) throw new Error('no call was claimed')
  // The two changes put the campaign back in the queue, although it's at its limit.
  for (const max_concurrent_calls of [2, 1])
    await world.deps.db
      .updateTable('campaign')
      .set({ max_concurrent_calls })
      .where('id', '=', narrow)
      .execute()
  await world.deps.db.transaction().execute(async (db) => {
    await finishAttempt({ ...world.deps, db }, first, emptyResult('busy', 'line_busy'))
    await sql`set constraints all immediate`.execute(db) // runs the deferred triggers, as the commit does
    expect(await claim()).toEqual([])
  })
  expect(await claim()).toHaveLength(1)
})

it("claims a campaign's call to a number soon after another campaign's call to the same number has ended", async () => {
  const number = freshNumber()
  const other = await seedCampaign(world.deps, { ...world.seed, name: 'Other' })
  await queue(number)
  const [first] = await claim()
  const { id } = await queue(number, { campaign_id: other })
  expect(await claim()).toEqual([])
  if (first === undefined) throw new Error('no call was claimed')
  await finishAttempt(world.deps, first, emptyResult('busy', 'line_busy'))
  expect(await waitForValue(claimedIds, (ids) => ids.length > 0)).toEqual([id])
})

it('claims a scheduled call at its time, or earlier if the time is moved up', async () => {
  const inAnHour = new Date(world.deps.clock.now().getTime() + 3_600_000)
  const { id } = await queue(freshNumber(), { scheduled_at: inAnHour.toISOString() })
  await emptyQueue()
  world.deps.clock.advance(3_600_000)
  expect(await claimedIds()).toEqual([id])

  const inADay = new Date(world.deps.clock.now().getTime() + 86_400_000)
  const second = await queue(freshNumber(), { scheduled_at: inADay.toISOString() })
  await emptyQueue()
  await world.deps.db
    .updateTable('call')
    .set({ next_attempt_at: world.deps.clock.now() })
    .where('id', '=', second.id)
    .execute()
  expect(await claimedIds()).toEqual([second.id])
})
