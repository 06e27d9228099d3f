import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { connect } from '../../platform/db/connect.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'

/** A separate database, created from the migrated template. */
export interface TestDatabase {
  url: string
  db: Db
  /** Closes the pool and drops the database. */
  close(): Promise<void>
}

/** The key of the do-not-call list for connections that a test opens. A service that the test starts has another key. */
export const doNotCallKey = Buffer.from('do-not-call-key-of-the-tests')

/** Creates a separate database for a test file, so that the file's tests don't see rows of other files. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = process.env.OUTDIAL_TEMPLATE
  const name = `${template}_${randomBytes(8).toString('hex')}`
  await administer(`create database ${name} template ${template}`)
  const url = serverUrl(name)
  const db = connect({ url, role: roles.service, max: 16, doNotCallKey })
  return {
    url,
    db,
    close: async () => {
      await db.destroy()
      await administer(`drop database if exists ${name} with (force)`)
    },
  }
}

/** Does `work` on a pooled connection in the role of the user in the URL, who can do what the service's role can't. */
export const asSuperuser = <Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> =>
  db.connection().execute(async (connection) => {
    await sql`reset role`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`set role ${sql.id(roles.service)}`.execute(connection)
    }
  })

function serverUrl(database: string): string {
  const base = process.env.OUTDIAL_TEST_DATABASE
  if (base === undefined) throw new Error("OUTDIAL_TEST_DATABASE isn't set. Run the tests with npm test.")
  const url = new URL(base)
  url.pathname = `/${database}`
  return url.href
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl('postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
