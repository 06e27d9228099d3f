import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { parseConfig } from '../../config.ts'
import { connect, getPools, openWorkspace } from '../../db/connect.ts'
import { openDeps } from '../../open-deps.ts'
import { asSuperuser } from '../support/database.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('survives a connection that breaks between the statements of a transaction', async () => {
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
