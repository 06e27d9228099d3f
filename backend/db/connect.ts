import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { minuteMs, secondMs } from '../core/durations.ts'
import { isError } from '../core/errors.ts'
import { doNotCallSettings } from './do-not-call-settings.ts'
import type { Database, Db } from './schema.ts'

/** IDs are bigint in the tables and stay far below 2^53, so they're read as numbers. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** Limits that keep a silent process, connection, or server from blocking others. In milliseconds. */
export interface DatabaseTimeouts {
  /** The server ends a statement after this time, also one that waits for a lock. */
  statementMs: number
  /** The server ends a transaction whose client sends nothing, and so releases its locks. */
  idleInTransactionMs: number
  /** The client closes a connection that doesn't respond. Longer than `statementMs`. */
  queryMs: number
}

const defaultTimeouts: DatabaseTimeouts = {
  statementMs: 30 * secondMs,
  idleInTransactionMs: 10 * secondMs,
  queryMs: 35 * secondMs,
}

/** For steps of the startup, which may have to convert large tables or wait until another process has done so. */
export const startupTimeouts: DatabaseTimeouts = {
  ...defaultTimeouts,
  statementMs: 10 * minuteMs,
  queryMs: 11 * minuteMs,
}

/** How many connections a process opens at most. */
export const maxConnections = 20

const pools = new WeakMap<object, { pool: pg.Pool; connection: ConnectionOptions }>()

/** Where a pool connects to, and as which role. A thread can't use a pool of another, but can open one like it. */
export interface ConnectionOptions {
  url: string
  role?: string
}

function getPool(db: Db) {
  const found = pools.get(db)
  if (found === undefined) throw new Error('invariant: this Db was not opened by connect')
  return found
}

export const getConnectionOptions = (db: Db): ConnectionOptions => getPool(db).connection

/** Counts the connections of the pool that a `Db` uses: busy ones, idle ones, and transactions that wait for one. */
export function countConnections(db: Db): { state: 'busy' | 'idle' | 'waiting'; count: number }[] {
  const { pool } = getPool(db)
  return [
    { state: 'busy', count: pool.totalCount - pool.idleCount },
    { state: 'idle', count: pool.idleCount },
    { state: 'waiting', count: pool.waitingCount },
  ]
}

/**
 * Opens a pool. Broken connections are reported to `onError` and replaced.
 *
 * @param options.role the role under which the statements run, by default that of the user in the URL
 */
export function connect(
  options: ConnectionOptions & {
    max?: number
    onError?: (error: Error) => void
    timeouts?: DatabaseTimeouts
    /** Without it, statements that look up or save a number of the do-not-call list fail. */
    doNotCallKey?: Buffer
  },
): Db {
  const { url, role, max = maxConnections, onError = () => {} } = options
  const { timeouts = defaultTimeouts, doNotCallKey } = options
  const openConnections = new Set<Promise<void>>()
  // The pool waits for it, although its type doesn't say so. Without its settings, a connection would have the rights of
  // the user in the URL.
  const prepare: (client: pg.ClientBase) => unknown = async (client) => {
    // The pool listens only to idle clients: one that breaks between two statements would end the process.
    client.on('error', onError)
    const close = new Promise<void>((resolve) => client.once('end', resolve))
    openConnections.add(close)
    void close.then(() => openConnections.delete(close))
    await client.query(sessionSettings(timeouts, role))
    if (doNotCallKey) await client.query(doNotCallSettings(doNotCallKey))
  }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 5 * secondMs,
    query_timeout: timeouts.queryMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * secondMs,
    types,
    onConnect: prepare,
  })
  pool.on('error', () => {}) // the client's own listener, below, reports it
  // `pool.end()` resolves before its connections are closed. If the server stops in between, they report errors.
  const close = async () => {
    await pool.end()
    await Promise.all(openConnections)
  }
  const waitingPool = {
    options: pool.options,
    connect: async () => closeOnFailure(await pool.connect()),
    end: close,
  }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: waitingPool }) })
  pools.set(db, { pool, connection: { url, ...(role !== undefined && { role }) } })
  return db
}

/**
 * Set by a statement, because connection poolers reject parameters that they don't know. Without JIT, because our
 * statements take less time than their compilation, which PostgreSQL starts if it overestimates their rows.
 */
const sessionSettings = (
  { statementMs, idleInTransactionMs }: DatabaseTimeouts,
  role: string | undefined,
): string => `
  ${role === undefined ? '' : `set role ${role};`}
  set statement_timeout = ${statementMs};
  set idle_in_transaction_session_timeout = ${idleInTransactionMs};
  set jit = off;
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 30000`

/**
 * Makes the pool close a connection on which a query timed out or a rollback failed. After a timeout, the driver only
 * stops waiting for the query, and the next query on this connection would wait behind it.
 */
function closeOnFailure(client: pg.PoolClient): PostgresPoolClient {
  let mustClose = false
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  return {
    query: ((...args: unknown[]) => {
      const running = query(...args)
      if (!(running instanceof Promise)) return running
      return running.catch((error: unknown) => {
        mustClose ||= args[0] === 'rollback' || (isError(error) && error.message === 'Query read timeout')
        throw error
      })
    }) as PostgresPoolClient['query'],
    release: () => client.release(mustClose),
  }
}
