import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database, Db } from './schema.ts'

const int8 = 20

/** Ids are bigint in the tables and stay far below 2^53: read them as numbers, and everything else as usual. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
}

/** Opens a pool. Connections that break while idle are dropped and made anew; `onError` hears of it. */
export function connect(options: { url: string; max?: number; onError?: (error: Error) => void }): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max ?? 20,
    connectionTimeoutMillis: 5_000,
    types,
  })
  pool.on('error', options.onError ?? (() => {}))
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}
