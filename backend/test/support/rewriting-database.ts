import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { doNotCallSettings } from '../../db/do-not-call-settings.ts'
import { roles } from '../../db/roles.ts'
import type { Database, Db } from '../../db/schema.ts'
import { doNotCallKey } from './database.ts'

/** Opens a pool under the service role that sends `rewrite(text)` in place of each statement's text. */
export function createRewritingDatabase(url: string, rewrite: (text: string) => string): Db {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({ connectionString: url, max: 8, types, options: `-c role=${roles.service}` })
  pool.on('connect', (client) => {
    // `pool.end()` resolves before its connections are closed, and then the database is dropped.
    client.on('error', () => {})
    void client.query(doNotCallSettings(doNotCallKey))
  })
  const connect = async () => {
    const client = await pool.connect()
    return {
      query: ((text: string, values: unknown[]) =>
        client.query(rewrite(text), values)) as pg.PoolClient['query'],
      release: () => client.release(),
    }
  }
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect, end: () => pool.end() } }),
  })
}
