import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { maxShare } from '../../platform/core/in-progress.ts'
import { connect, getPools } from '../../platform/db/connect.ts'
import { ConnectionLimitError } from '../../platform/db/outage.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { maxLagMs, startReadReplica } from '../../platform/replicas/read-replica.ts'
import type { ReadReplica } from '../../platform/replicas/replicas.ts'
import { ManualClock } from '../support/clock.ts'
import { asSuperuser, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// Two databases without replication, so that a test sees which one was read, and can change only one of them.
const database = useTestDatabase()
let copy: TestDatabase
let replicaDb: Db
let deps: TestDeps
let replica: ReadReplica
let workspaceId: number
beforeAll(async () => {
  copy = await createTestDatabase()
  replicaDb = connect({ url: copy.url, role: roles.service, isReadOnly: true })
})
afterAll(async () => {
  await replicaDb.destroy()
  await copy.close()
})
beforeEach(async () => {
  // Both databases have a workspace with the same ID, but with different names.
  deps = testDeps(database.db, { clock: new ManualClock(new Date().toISOString()) })
  workspaceId = (await seedWorkspace(deps, 'In the database')).workspaceId
  await seedWorkspace({ ...deps, db: copy.db }, 'In the replica')
  replica = startReadReplica(deps, replicaDb)
})
afterEach(() => replica.stop())

/** Records the process in the copy, as if replication had just delivered its row, and waits until the replica is used. */
async function receiveHeartbeat(): Promise<void> {
  await copy.db.insertInto('replica').values({ id: deps.replicas.nodeId, role: 'api' }).execute()
  await waitForUse()
}

const waitForUse = () =>
  waitFor(
    async () => (await readName()) === 'In the replica',
    () => deps.clock.advance(100),
  )

const readName = async (db = replica.openWorkspace(workspaceId)) => {
  const rows = await db.selectFrom('workspace').select('name').execute()
  return rows.map(({ name }) => name).join()
}

it("reads a workspace's rows from the replica only after a heartbeat of this process has arrived there", async () => {
  expect(await readName()).toBe('In the database')
  await receiveHeartbeat()
  // If the query weren't limited to the workspace, the result would also have other names.
  expect(await readName()).toBe('In the replica')
})

it("if this process's last heartbeat in the replica is too old, reads from the primary database", async () => {
  await receiveHeartbeat()
  deps.clock.advance(maxLagMs + 1_000)
  expect(await readName()).toBe('In the database')
})

it('if the replica lacks a column that a migration has just added, repeats the statement in the primary database', async () => {
  await receiveHeartbeat()
  await asSuperuser(database.db, (db) =>
    sql`alter table workspace add column added text default 'yes'`.execute(db),
  )
  const { rows } = await sql`select added from workspace`.execute(replica.openWorkspace(workspaceId))
  expect(rows).toEqual([{ added: 'yes' }])
  await waitForUse()
})

it('if the connection to the replica breaks, repeats the statement in the primary database', async () => {
  await receiveHeartbeat()
  const name = new URL(copy.url).pathname.slice(1)
  const reading = sql<{ name: string }>`
    select name from workspace, pg_sleep(case when current_database() = ${name} then 30 else 0 end)`.execute(
    replica.openWorkspace(workspaceId),
  )
  await waitFor(async () => {
    const { rows } = await asSuperuser(copy.db, (db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and wait_event = 'PgSleep'`.execute(db),
    )
    return rows.length > 0
  })
  const { rows } = await reading
  expect(rows).toEqual([{ name: 'In the database' }])
})

it('rejects statements that change anything', async () => {
  await receiveHeartbeat()
  const change = replica
    .openWorkspace(workspaceId)
    .updateTable('workspace')
    .set({ name: 'Changed' })
    .execute()
  await expect(change).rejects.toThrow('cannot execute UPDATE in a read-only transaction')
  expect(await readName(database.db)).not.toContain('Changed')
})

it('if a statement itself is wrong, throws its error and continues to use the replica', async () => {
  await receiveHeartbeat()
  const reading = sql`select 1 / 0`.execute(replica.openWorkspace(workspaceId))
  await expect(reading).rejects.toThrow('division by zero')
  expect(await readName()).toBe('In the replica')
})

it('while one workspace uses up its share of the connections, still uses the replica for other workspaces', async () => {
  const other = await seedWorkspace(deps, 'In the database')
  await seedWorkspace({ ...deps, db: copy.db }, 'In the replica')
  await receiveHeartbeat()
  const lock = sql`select pg_advisory_xact_lock(7)`
  const reading = await copy.db.transaction().execute(async (tx) => {
    await lock.execute(tx)
    const share = maxShare(getPools(replicaDb)[1].options.max)
    const statements = Array.from({ length: share }, () => lock.execute(replica.openWorkspace(workspaceId)))
    await waitForLockWaiters(copy.db, share)
    await expect(readName()).rejects.toThrow(ConnectionLimitError)
    expect(await readName(replica.openWorkspace(other.workspaceId))).toBe('In the replica')
    return statements
  })
  await Promise.all(reading)
})
