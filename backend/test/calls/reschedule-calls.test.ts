import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { tryLockRescheduling } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { continueRescheduling } from '../../queue/calls/reschedule-calls.ts'
import { archiveCampaign } from '../../queue/campaigns/campaign-status.ts'
import { findCampaign } from '../../queue/campaigns/campaign-store.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { advanceUntilCompleted, getCall, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { everyHour, freshNumber, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
const eveningHours = { ...everyHour, start: '18:00', end: '20:00' }

it('reschedules queued calls to later or earlier times when calling hours are edited', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  expect(await getCall(world.deps, world.seed, id)).toMatchObject({
    waiting_for: 'calling_hours',
    next_attempt_at: '2026-05-04T22:00:00.000Z',
  })
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, { callingHours: everyHour })
  expect((await getCall(world.deps, world.seed, id)).waiting_for).toBeNull()
  expect(await claimAndSettle(world.deps, lease, 9)).toHaveLength(1)
})

it("reschedules queued calls when the campaign's time zone is edited", async () => {
  const { id } = await seedCall(world.deps, world.seed, '+18005550123')
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
    timeZone: 'Europe/Berlin',
  })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-04T16:00:00.000Z')
})

/** Queues 451 calls, which are more than two batches. */
async function seedLongQueue(): Promise<void> {
  await seedCall(world.deps, world.seed, freshNumber())
  await sql`
    with people as (
      insert into contact (workspace_id, phone_number)
      select ${world.seed.workspaceId}, '+1202558' || to_char(index, 'FM0000') from generate_series(1, 450) as index
      returning id, phone_number
    )
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number,
      queued_at, due_at, next_attempt_at)
    select call.workspace_id, call.campaign_id, people.id, call.agent_id, call.phone_number_id, call.from_number,
      people.phone_number, call.queued_at, call.due_at, call.next_attempt_at
    from people, call where call.campaign_id = ${world.seed.campaignId}`.execute(world.deps.db)
}

/** Counts the campaign's calls by status and time of the next attempt. */
async function countCalls(): Promise<Record<string, number>> {
  const calls = await world.deps.db
    .selectFrom('call')
    .select(['status', 'next_attempt_at'])
    .where('campaign_id', '=', world.seed.campaignId)
    .execute()
  const groups = Map.groupBy(calls, ({ status, next_attempt_at: at }) =>
    `${status} ${at?.toISOString() ?? ''}`.trim(),
  )
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.length]))
}

const nextSweep = () => world.deps.clock.advance(1_000)
const atOpening = 'queued 2026-05-04T22:00:00.000Z'

it('reschedules all calls of a long queue, not only the first batch, when calling hours are edited', async () => {
  await seedLongQueue()
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  expect(await countCalls()).toEqual({ [atOpening]: 451 })
})

it('an edit reschedules the first calls of a long queue in its transaction, and a sweeper reschedules the rest afterward', async () => {
  await seedLongQueue()
  await inTransaction(world.deps, (tx) =>
    editCampaign(tx, world.seed.workspaceId, world.seed.campaignId, { callingHours: eveningHours }),
  )
  expect(await countCalls()).toMatchObject({ [atOpening]: 200 })
  world.workers.push(startSweeper(world.deps))
  await waitFor(async () => (await countCalls())[atOpening] === 451, nextSweep)
})

it('archiving a campaign cancels the first calls of a long queue in its transaction, and a sweeper cancels the rest afterward', async () => {
  await seedLongQueue()
  await inTransaction(world.deps, (tx) => archiveCampaign(tx, world.seed.workspaceId, world.seed.campaignId))
  expect(await countCalls()).toMatchObject({ completed: 200 })
  expect(await claimAndSettle(world.deps, lease, 50)).toEqual([])
  world.workers.push(startSweeper(world.deps))
  await waitFor(async () => (await countCalls()).completed === 451, nextSweep)
})

it('lets a sweeper stop after each batch of a long queue', async () => {
  await seedLongQueue()
  await inTransaction(world.deps, (tx) =>
    editCampaign(tx, world.seed.workspaceId, world.seed.campaignId, { callingHours: eveningHours }),
  )
  let stopped: Promise<void> | undefined
  const notify = { ...world.deps.notify, callQueued: () => (stopped ??= sweeper.stop()) }
  const sweeper = startSweeper({ ...world.deps, notify })
  await waitFor(async () => stopped !== undefined, nextSweep)
  await stopped
  expect(await countCalls()).toMatchObject({ [atOpening]: 400 })
})

it('leaves a long queue to a sweeper that is already working on a batch', async () => {
  await seedLongQueue()
  await inTransaction(world.deps, (tx) => archiveCampaign(tx, world.seed.workspaceId, world.seed.campaignId))
  await inTransaction(world.deps, async (tx) => {
    expect(await tryLockRescheduling(tx.db, world.seed)).toBe(true)
    expect(await continueRescheduling(world.deps, world.seed)).toBe(false)
  })
  expect(await countCalls()).toMatchObject({ completed: 200 })
  expect(await continueRescheduling(world.deps, world.seed)).toBe(true)
  expect(await countCalls()).toMatchObject({ completed: 400 })
})

it("doesn't reschedule queued calls if an edit leaves the calling hours as they are", async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const planned = { next_attempt_at: new Date('2026-05-06T10:00:00.000Z') }
  await world.deps.db.updateTable('call').set(planned).where('id', '=', id).execute()
  const { workspaceId, campaignId } = world.seed
  const campaign = await findCampaign(world.deps.db, workspaceId, campaignId)
  if (campaign === undefined) throw new Error('the campaign is missing')
  const { time_zone: timeZone, calling_hours: callingHours } = campaign
  await editCampaign(world.deps, workspaceId, campaignId, { name: 'Renamed', timeZone, callingHours })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-06T10:00:00.000Z')
})

it('finishes a campaign change that a process had started before it crashed', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await world.deps.db
    .updateTable('campaign')
    .set({ calling_hours: JSON.stringify(eveningHours), reschedule_after_call_id: 0 })
    .where('id', '=', world.seed.campaignId)
    .execute()
  const archived = await seedWorkspace(world.deps, 'Globex')
  const waiting = await seedCall(world.deps, archived, freshNumber())
  await world.deps.db
    .updateTable('campaign')
    .set({ status: 'archived', reschedule_after_call_id: 0 })
    .where('id', '=', archived.campaignId)
    .execute()
  world.workers.push(startSweeper(world.deps))
  expect(await advanceUntilCompleted(world.deps, archived, waiting.id)).toMatchObject({
    ended_reason: 'campaign_archived',
  })
  expect((await getCall(world.deps, world.seed, id)).waiting_for).toBe('calling_hours')
})

it('an edit waits for a claim in progress before it changes calling hours', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const claimed = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const claiming = world.deps.db.transaction().execute(async (db) => {
    const attempts = await claimAndSettle({ ...world.deps, db }, lease, 9)
    claimed.resolve()
    await commit.promise
    return attempts
  })
  await claimed.promise
  const edited = editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  await waitForLockWaiters(world.deps.db)
  commit.resolve()
  const [attempt] = await claiming
  await edited
  expect(await getCall(world.deps, world.seed, id)).toMatchObject({
    status: 'dialing',
    next_attempt_at: null,
  })
  if (attempt !== undefined) await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
  expect((await getCall(world.deps, world.seed, id)).status).toBe('completed')
})

it("reschedules queued calls when the contact's time zone changes", async () => {
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: eveningHours,
  })
  const number = freshNumber()
  const { id } = await seedCall(world.deps, world.seed, number)
  await seedCall(world.deps, world.seed, number, { time_zone: 'America/Los_Angeles' })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-05T01:00:00.000Z')
  await seedCall(world.deps, world.seed, number, { time_zone: null })
  expect((await getCall(world.deps, world.seed, id)).next_attempt_at).toBe('2026-05-04T22:00:00.000Z')
})
