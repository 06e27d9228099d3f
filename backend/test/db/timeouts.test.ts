import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { connect } from '../../platform/db/connect.ts'
import { isOutage } from '../../platform/db/outage.ts'
import { roles } from '../../platform/db/roles.ts'
import { asSuperuser } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { getError } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
const timeouts = { statementMs: 60_000, idleInTransactionMs: 60_000, queryMs: 60_000 }

it('releases the locks of a process that goes silent in the middle of a transaction', async () => {
  await asSuperuser(database.db, async (db) => {
    await sql`create table locked_row (id int primary key)`.execute(db)
    await sql`insert into locked_row values (1)`.execute(db)
    await sql`grant all on locked_row to ${sql.id(roles.service)}`.execute(db)
  })
  const frozen = connect({ url: database.url, max: 1, timeouts: { ...timeouts, idleInTransactionMs: 1_000 } })
  const thawed = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const transaction = frozen.transaction().execute(async (tx) => {
    await sql`select from locked_row for update`.execute(tx)
    locked.resolve()
    await thawed.promise
    await sql`delete from locked_row`.execute(tx)
  })
  await locked.promise
  const waiting = sql<{ id: number }>`select id from locked_row for update`.execute(database.db)
  await waitForLockWaiters(database.db)
  expect((await waiting).rows).toEqual([{ id: 1 }])
  thawed.resolve()
  expect(isOutage(await getError(transaction))).toBe(true)
  await frozen.destroy()
})

it('replaces a connection that no longer responds, and reports it as an outage', async () => {
  const proxy = await createDatabaseProxy(database.url)
  const db = connect({ url: proxy.url, max: 1, timeouts: { ...timeouts, queryMs: 1_000 } })
  await sql`select 1`.execute(db)
  proxy.silence()
  expect(isOutage(await getError(sql`select 1`.execute(db)))).toBe(true)
  // The silent connection is closed instead of being used again.
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
  await proxy.disconnect()
})

it('ends a statement that takes too long, and reports an outage', async () => {
  const db = connect({ url: database.url, max: 1, timeouts: { ...timeouts, statementMs: 200 } })
  expect(isOutage(await getError(sql`select pg_sleep(60)`.execute(db)))).toBe(true)
  await db.destroy()
})
