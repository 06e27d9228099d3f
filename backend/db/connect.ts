import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { secondMs } from '../core/durations.ts'
import type { Database, Db } from './schema.ts'

/** IDs are bigint in the tables and stay far below 2^53, so they're read as numbers. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** Opens a pool. Broken connections are reported to `onError` and replaced. */
export function connect(options: { url: string; max?: number; onError?: (error: Error) => void }): Db {
  const { url, max = 20, onError = () => {} } = options
  const pool = new pg.Pool({ connectionString: url, max, connectionTimeoutMillis: 5 * secondMs, types })
  pool.on('error', () => {}) // the client's own listener, below, reports it
  const openConnections = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    // The pool listens only to idle clients: one that breaks between two statements would end the process.
    client.on('error', onError)
    const close = new Promise<void>((resolve) => client.once('end', resolve))
    openConnections.add(close)
    void close.then(() => openConnections.delete(close))
  })
  // `pool.end()` resolves before its connections are closed. If the server stops in between, they report errors.
  const close = async () => {
    await pool.end()
    await Promise.all(openConnections)
  }
  const waitingPool = { options: pool.options, connect: () => pool.connect(), end: close }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: waitingPool }) })
}
