import { createHash } from 'node:crypto'
import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type RawBuilder,
  sql,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { minuteMs, secondMs } from '../core/durations.ts'
import { isError } from '../core/errors.ts'
import { type ConnectionShares, connectTimeoutMs, createConnectionShares } from './connection-shares.ts'
import { doNotCallSettings } from './do-not-call-settings.ts'
import type { MixedSessionsError } from './outage.ts'
import { roles } from './roles.ts'
import type { Database, Db } from './schema.ts'
import type { SessionWatch } from './session-watch.ts'

/** IDs are bigint in the tables and stay far below 2^53, so they're read as numbers. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** Limits that keep a silent process, connection, or server from blocking others. In milliseconds. */
export interface DatabaseTimeouts {
  /** The server ends a statement after this time, even one that waits for a lock. */
  statementMs: number
  /** The server ends a transaction whose client sends nothing for this time. This releases the transaction's locks. */
  idleInTransactionMs: number
  /** The client closes a connection that doesn't respond within this time, which is longer than `statementMs`. */
  queryMs: number
}

const defaultTimeouts: DatabaseTimeouts = {
  statementMs: 30 * secondMs,
  idleInTransactionMs: 10 * secondMs,
  queryMs: 35 * secondMs,
}

/**
 * Timeouts of the startup's steps, which may have to convert large tables or wait until another process has done so.
 */
export const startupTimeouts: DatabaseTimeouts = {
  ...defaultTimeouts,
  statementMs: 10 * minuteMs,
  queryMs: 11 * minuteMs,
}

/**
 * Maximum number of connections that a process opens if DATABASE_CONNECTIONS isn't set. Half of them are for workspaces,
 * half for everything else.
 */
export const maxConnections = 20

/** The connections that belong to a `Db`. */
interface OpenDatabase {
  connection: ConnectionOptions
  /** The pools of the service and of workspaces. */
  pools: readonly [pg.Pool, pg.Pool]
  /** Maps the ID of a workspace to its `Db`. */
  workspaces: LRUCache<number, Db>
  /** Divides the second pool among workspaces. */
  shares: ConnectionShares
  sessions: SessionWatch | undefined
}

/** Maps an adapter to its open database. A `Db` and objects derived from it, such as transactions, have the same adapter. */
const openDatabases = new WeakMap<object, OpenDatabase>()

/** The server and the role of a pool's connections. With these options, another thread can open its own, similar pool. */
export interface ConnectionOptions {
  url: string
  role?: string
}

function getOpenDatabase(db: Db): OpenDatabase {
  const found = openDatabases.get(db.getExecutor().adapter)
  if (found === undefined) throw new Error('invariant: this Db was not opened by connect')
  return found
}

export const getConnectionOptions = (db: Db): ConnectionOptions => getOpenDatabase(db).connection

/** Returns the pools of the service and of workspaces, in this order. */
export const getPools = (db: Db): readonly [pg.Pool, pg.Pool] => getOpenDatabase(db).pools

/** Returns an error if a connection pooler mixes the database's sessions. Then no statement may run. */
export const getSessionFailure = (db: Db): MixedSessionsError | undefined =>
  getOpenDatabase(db).sessions?.failure

/** Counts the connections that a `Db` uses: busy ones, idle ones, and transactions that wait for one. */
export function countConnections(db: Db): { state: 'busy' | 'idle' | 'waiting'; count: number }[] {
  const { pools, shares } = getOpenDatabase(db)
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0)
  return [
    { state: 'busy', count: sum((pool) => pool.totalCount - pool.idleCount) },
    { state: 'idle', count: sum((pool) => pool.idleCount) },
    { state: 'waiting', count: sum((pool) => pool.waitingCount) + shares.countWaiting() },
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
    /** The key for the hashes of do-not-call numbers. Without it, statements that look up or save such a number fail. */
    doNotCallKey?: Buffer
    /** Rejects statements that change anything, even if the server isn't a read replica. */
    isReadOnly?: boolean
    /** Rejects all statements once a connection pooler mixes sessions. */
    sessions?: SessionWatch
  },
): Db {
  const { url, role, max = maxConnections, onError = () => {} } = options
  const { timeouts = defaultTimeouts, doNotCallKey, isReadOnly = false, sessions } = options
  const openConnections = new Set<Promise<void>>()
  // The pool waits for `prepare` before it uses a connection, although the type of `onConnect` doesn't say so. This
  // matters, because a connection has the rights of the user in the URL until `prepare` has set its role.
  const prepareAs = (connectionRole: string | undefined): ((client: pg.ClientBase) => unknown) =>
    async function prepare(client) {
      // The pool listens only to idle clients. Without this listener, an error between two statements would end the process.
      client.on('error', onError)
      const close = new Promise<void>((resolve) => client.once('end', resolve))
      openConnections.add(close)
      void close.then(() => openConnections.delete(close))
      await client.query(sessionSettings(timeouts, connectionRole))
      if (isReadOnly) await client.query('set default_transaction_read_only = on')
      if (doNotCallKey) await client.query(doNotCallSettings(doNotCallKey))
    }
  const openPool = (size: number, connectionRole: string | undefined) => {
    const pool = new pg.Pool({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: timeouts.queryMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * secondMs,
      types,
      onConnect: prepareAs(connectionRole),
    })
    pool.on('error', () => {}) // the client's own listener, above, reports it
    return pool
  }
  // There are two pools, because changing the role of a connection costs as much as a statement.
  const ofService = openPool(Math.ceil(max / 2), role)
  const ofWorkspaces = openPool(Math.max(1, Math.floor(max / 2)), roles.workspace)
  // `pool.end()` resolves before the pool's connections are closed. If the server stopped in between, they'd report errors.
  const close = async () => {
    await Promise.all([ofService.end(), ofWorkspaces.end()])
    await Promise.all(openConnections)
  }
  const db = openKysely({
    options: ofService.options,
    connect: async () => {
      if (sessions?.failure) throw sessions.failure
      return closeOnFailure(await ofService.connect(), sessions)
    },
    end: close,
  })
  openDatabases.set(db.getExecutor().adapter, {
    connection: { url, ...(role !== undefined && { role }) },
    pools: [ofService, ofWorkspaces],
    workspaces: new LRUCache({ max: 1_000 }),
    shares: createConnectionShares(ofWorkspaces.options.max),
    sessions,
  })
  return db
}

/** Returns a `Db` that takes its connections from a pool. */
export const openKysely = (pool: PostgresPool): Db =>
  new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })

/** Returns a `Db` whose statements run as the workspace role and see the rows of one workspace. */
export function openWorkspace(db: Db, workspaceId: number): Db {
  const { pools, workspaces } = getOpenDatabase(db)
  const [, pool] = pools
  let opened = workspaces.get(workspaceId)
  if (opened === undefined) {
    opened = openKysely({
      options: pool.options,
      connect: () => connectToWorkspace(db, workspaceId),
      end: () => Promise.resolve(), // the pool belongs to `db`
    })
    workspaces.set(workspaceId, opened)
  }
  return db.getExecutor().plugins.reduce((scoped, plugin) => scoped.withPlugin(plugin), opened)
}

/** Maps a connection to the ID of the workspace whose rows it sees. */
const workspaceOf = new WeakMap<pg.PoolClient, number>()

/** Maps a workspace connection in use to the function that gives back its place in the workspace's share. */
const endUse = new WeakMap<pg.PoolClient, () => void>()

/**
 * Takes a connection whose statements run as the workspace role and see the rows of one workspace.
 *
 * @throws {ConnectionLimitError} if the workspace's transactions use its share of the connections for too long
 * @throws {MixedSessionsError} if a connection pooler mixes sessions
 */
export async function connectToWorkspace(db: Db, workspaceId: number): Promise<PostgresPoolClient> {
  const { pools, shares, sessions } = getOpenDatabase(db)
  const [, pool] = pools
  if (sessions?.failure) throw sessions.failure
  const release = await shares.take(workspaceId)
  try {
    const client = await pool.connect()
    endUse.set(client, release)
    await setWorkspace(client, workspaceId)
    return closeOnFailure(client, sessions)
  } catch (error) {
    release()
    throw error
  }
}

async function setWorkspace(client: pg.PoolClient, workspaceId: number): Promise<void> {
  if (workspaceOf.get(client) === workspaceId) return
  try {
    workspaceOf.delete(client)
    await client.query(`set outdial.workspace_id = '${workspaceId}'`)
    workspaceOf.set(client, workspaceId)
  } catch (error) {
    client.release(true)
    throw error
  }
}

const preparedMark = '/* prepared */'

/**
 * Marks a statement that is sent often: the server parses and plans it only once per connection. Put this mark anywhere in
 * the statement. The statement's plan must be good for any values, and it must select its columns by name.
 */
export const prepared = sql.raw<void>(preparedMark)

/**
 * Hides a value of a prepared statement from the planner. Otherwise, PostgreSQL plans the statement each time if a plan for
 * these values seems cheaper than the plan for any values, for example because an array is short. Planning can take longer
 * than running the statement.
 */
export const hidden = <Value>(
  value: Value,
  type: 'bigint[]' | 'boolean' | 'bytea[]' | 'int' | 'int[]' | 'jsonb' | 'text' | 'timestamptz' | 'uuid[]',
): RawBuilder<Value> => {
  const cast = sql.raw(type)
  return sql<Value>`(select ${value}::${cast})::${cast}`
}

/** Names of prepared statements, by text. */
const statementNames = new LRUCache<string, string>({ max: 500 })

/** Adds a name to a statement that is marked as prepared, because the driver prepares only statements with names. */
function nameStatement(args: unknown[]): unknown[] {
  const [text, values] = args
  if (typeof text !== 'string' || !text.includes(preparedMark)) return args
  const name = statementNames.get(text) ?? createHash('sha256').update(text).digest('base64url').slice(0, 20)
  statementNames.set(text, name)
  return [{ name, text, values }]
}

/**
 * Returns the statement with a session's settings. They aren't connection parameters, because connection poolers reject
 * parameters that they don't know. JIT is off: if PostgreSQL overestimates the rows of a statement, it compiles the
 * statement, which takes longer than running it.
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
 * Maps a connection to the object that Kysely gets. Kysely must get the same object each time, because it keeps data about
 * each object.
 */
const closingOnFailure = new WeakMap<pg.PoolClient, PostgresPoolClient>()

/**
 * Makes the pool close a connection on which a query timed out or a rollback failed. After a timeout, the driver only
 * stops waiting for the query, and the next query on this connection would wait behind it.
 */
function closeOnFailure(client: pg.PoolClient, sessions: SessionWatch | undefined): PostgresPoolClient {
  const known = closingOnFailure.get(client)
  if (known !== undefined) return known
  let mustClose = false
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const wrapped: PostgresPoolClient = {
    query: ((...args: unknown[]) => {
      const running = query(...nameStatement(args))
      if (!(running instanceof Promise)) return running
      return running.catch((error: unknown) => {
        sessions?.noticeFailure(error)
        mustClose ||= args[0] === 'rollback' || (isError(error) && error.message === 'Query read timeout')
        throw error
      })
    }) as PostgresPoolClient['query'],
    release: () => {
      client.release(mustClose)
      endUse.get(client)?.() // undefined for a connection of the service
      endUse.delete(client)
    },
  }
  closingOnFailure.set(client, wrapped)
  return wrapped
}
