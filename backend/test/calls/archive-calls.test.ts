import { beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { startArchiver } from '../../calls/archive-calls.ts'
import { dayMs } from '../../core/durations.ts'
import { inTransaction } from '../../db/transaction.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { allowArchiving, archiveCalls, listArchivedCalls } from '../support/archive.ts'
import { asSuperuser } from '../support/database.ts'
import { completeCall, seedApiKeyCaller, seedLiveCall, seedWorkspace } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()
beforeEach(() => allowArchiving(world.database.db))

/** Creates a call that ended this many days ago, with its event. */
async function seedEndedCall(days: number, seed = world.seed): Promise<number> {
  const { deps } = world
  const { id } = await completeCall(deps, seed)
  const endedAt = new Date(deps.clock.now().getTime() - days * dayMs)
  await deps.db.updateTable('call').set({ ended_at: endedAt }).where('id', '=', id).execute()
  return id
}

const archive = (deps = world.deps) => archiveCalls(deps, { days: 0 })
const archivedIds = (seed = world.seed) => listArchivedCalls(world.deps, seed.workspaceId)

async function addSubscription(): Promise<void> {
  const caller = await seedApiKeyCaller(world.deps, world.seed)
  await subscribe(world.deps, caller, { target_url: 'https://hooks.example.com/', event: 'call.completed' })
}

const setDeliveries = (values: string) =>
  sql`update webhook_delivery set ${sql.raw(values)} where workspace_id = ${world.seed.workspaceId}`.execute(
    world.deps.db,
  )

it('moves calls that ended more than 90 days ago, in every workspace', async () => {
  const other = await seedWorkspace(world.deps)
  const old = [await seedEndedCall(91), await seedEndedCall(400)]
  const theirs = await seedEndedCall(91, other)
  await seedEndedCall(89)
  await seedLiveCall(world.deps, world.seed)
  await archive()
  expect(await archivedIds()).toEqual(old)
  expect(await archivedIds(other)).toEqual([theirs])
})

it('moves calls as soon as they are old enough, and looks every hour', async () => {
  const { deps } = world
  const id = await seedEndedCall(89.99)
  const job = startArchiver(deps)
  world.workers.push(job)
  await waitFor(async () => deps.clock.waiting > 0)
  expect(await archivedIds()).toEqual([])
  deps.clock.advance(3_600_000)
  await waitFor(async () => (await archivedIds()).includes(id))
})

it('moves calls after as many days as ARCHIVE_AFTER_DAYS says, and none with 0', async () => {
  const [tenth, twentieth] = [await seedEndedCall(10), await seedEndedCall(20)]
  const withDays = (archiveAfterDays: number) => ({
    ...world.deps,
    config: { ...world.deps.config, archiveAfterDays },
  })
  await archive(withDays(0))
  expect(await archivedIds()).toEqual([])
  await archive(withDays(15))
  expect(await archivedIds()).toEqual([twentieth])
  await archive(withDays(7))
  expect(await archivedIds()).toEqual([tenth, twentieth])
})

it('moves nothing on the day after the upgrade, because older processes may run side by side', async () => {
  const id = await seedEndedCall(100)
  await asSuperuser(world.deps.db, (db) =>
    sql`update schema_migration set run_on = localtimestamp - interval '23 hours' where name = '0024_archive'`.execute(
      db,
    ),
  )
  await archiveCalls(world.deps, { days: 0, isAllowed: false })
  expect(await archivedIds()).toEqual([])
  await archive()
  expect(await archivedIds()).toEqual([id])
})

it('leaves a call whose event waits for the analysis', async () => {
  const id = await seedEndedCall(100)
  const { db, clock } = world.deps
  await db.updateTable('call').set({ analysis_until: clock.now() }).where('id', '=', id).execute()
  await archive()
  expect(await archivedIds()).toEqual([])
})

it('leaves a call until all its deliveries have finished, and no sender has leased one', async () => {
  await addSubscription()
  const id = await seedEndedCall(100)
  await archive()
  expect(await archivedIds()).toEqual([])
  // The subscription ended during an attempt, whose result is yet to be recorded.
  await setDeliveries(
    "status = 'canceled', next_attempt_at = null, lease_until = now() + interval '1 minute'",
  )
  await archive()
  expect(await archivedIds()).toEqual([])
  await setDeliveries('lease_until = null')
  await archive()
  expect(await archivedIds()).toEqual([id])
})

it('leaves the calls of a contact who was erased in the last days, because URLs may be left to erase', async () => {
  const id = await seedEndedCall(100)
  const setErased = (days: number) =>
    sql`
      update contact set phone_number = '', erased_at = ${new Date(world.deps.clock.now().getTime() - days * dayMs)}
      where id = (select contact_id from call where id = ${id})`.execute(world.deps.db)
  await setErased(10)
  await archive()
  expect(await archivedIds()).toEqual([])
  await setErased(12)
  await archive()
  expect(await archivedIds()).toEqual([id])
})

it('moves more than one batch in one run, and each call once if several processes run', async () => {
  const first = await seedEndedCall(100)
  const { seed, deps } = world
  await sql`
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at)
    select workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
      from_number, to_number, queued_at, due_at, ended_at
    from call, generate_series(1, 1299) where id = ${first}`.execute(deps.db)
  await sql`
    insert into event (id, workspace_id, type, call_id, body)
    select 'evt_of_' || id, workspace_id, 'call.completed', id, '{}' from call
    where workspace_id = ${seed.workspaceId} and id <> ${first}`.execute(deps.db)
  await Promise.all([archive(), archive(), archive()])
  // Those that another one was moving are left for its next batch, or the next run.
  await archive()
  const { rows } = await sql<{ calls: number; events: number; left: number }>`
    select (select count(*) from archived_call where workspace_id = ${seed.workspaceId}) as calls,
      (select count(*) from archived_event where workspace_id = ${seed.workspaceId}) as events,
      (select count(*) from call where workspace_id = ${seed.workspaceId}) as left`.execute(deps.db)
  expect(rows).toEqual([{ calls: 1_300, events: 1_300, left: 0 }])
})

it('leaves a call whose delivery is being replayed', async () => {
  await addSubscription()
  const id = await seedEndedCall(100)
  await setDeliveries("status = 'exhausted', next_attempt_at = null")
  const { deps, seed } = world
  const { rows } = await sql<{ id: number }>`
    select id from webhook_delivery where workspace_id = ${seed.workspaceId}`.execute(deps.db)
  await inTransaction(deps, async (tx) => {
    expect(await replayDeliveries(tx, seed.workspaceId, { deliveryId: rows[0]?.id ?? 0 })).toBe(1)
    await archive()
    expect(await archivedIds()).toEqual([])
  })
  await archive()
  expect(await archivedIds()).toEqual([])
  await setDeliveries("status = 'delivered', next_attempt_at = null")
  await archive()
  expect(await archivedIds()).toEqual([id])
})
