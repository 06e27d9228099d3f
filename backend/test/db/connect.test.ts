import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { connect } from '../../db/connect.ts'
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
