import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { parseConfig } from '../../config.ts'
import { openDeps } from '../../open-deps.ts'
import { connect, countConnections, getPools, openWorkspace } from '../../platform/db/connect.ts'
import { ConnectionLimitError, isOutage } from '../../platform/db/outage.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { asSuperuser } from '../support/database.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { getError } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('replaces a connection that breaks between the statements of a transaction, and logs the error', async () => {
  const loggedErrors: string[] = []
  const errorLogged = Promise.withResolvers<void>()
  const db = connect({
    url: database.url,
    max: 1,
    onError: (error) => {
      loggedErrors.push(error.message)
      errorLogged.resolve()
    },
  })
  const broken = db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
    await asSuperuser(database.db, (other) =>
      sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other),
    )
    await errorLogged.promise
    await sql`select 1`.execute(transaction)
  })
  await expect(broken).rejects.toThrow()
  expect(loggedErrors).toContain('terminating connection due to administrator command')
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
})

it('opens at most DATABASE_CONNECTIONS connections, half of them for workspaces', async () => {
  const config = parseConfig({
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: '4',
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
  })
  const { deps, close } = await openDeps({ config, log: pino({ level: 'silent' }), purpose: 'command' })
  const workspace = openWorkspace(deps.db, 1)
  const statement = sql`select pg_sleep(0.05)`
  await Promise.all(
    Array.from({ length: 10 }, () => [deps.db, workspace].map((db) => statement.execute(db))).flat(),
  )

  expect(getPools(deps.db).map(({ totalCount }) => totalCount)).toEqual([2, 2])
  await close()
})

describe('a workspace whose transactions wait for a lock', () => {
  const lock = sql`select pg_advisory_xact_lock(7)`
  const countWaiting = (db: Db) => countConnections(db).find(({ state }) => state === 'waiting')?.count
  let db: Db
  beforeEach(() => {
    db = connect({ url: database.url, role: roles.service, max: 6 })
  })
  afterEach(() => db.destroy())

  /** Takes the lock that three transactions of workspace 1 wait for, and does `work`. Returns the transactions' errors. */
  async function whileLocked(work: (third: Promise<unknown>) => Promise<void>): Promise<unknown[]> {
    const errors = await database.db.transaction().execute(async (tx) => {
      await lock.execute(tx)
      const waiting = [1, 2, 3].map(() => getError(lock.execute(openWorkspace(db, 1))))
      await waitForLockWaiters(database.db, 2)
      await work(waiting[2] ?? Promise.reject(new Error('no third')))
      return waiting
    })
    return Promise.all(errors)
  }

  it('leaves some connections for other workspaces', async () => {
    const errors = await whileLocked(async () => {
      await sql`select 1`.execute(openWorkspace(db, 2))
      expect(getPools(db)[1].totalCount).toBe(3)
      expect(countWaiting(db)).toBe(1)
    })
    expect(errors).toEqual([undefined, undefined, undefined])
    expect(countWaiting(db)).toBe(0)
  })

  it('gets an error that counts as an outage if it waits too long for a connection', async () => {
    const errors = await whileLocked(async (third) => {
      const error = await third
      expect(error).toBeInstanceOf(ConnectionLimitError)
      expect(isOutage(error)).toBe(true)
    })
    expect(errors.slice(0, 2)).toEqual([undefined, undefined])
    await sql`select 1`.execute(openWorkspace(db, 1))
  })
})
