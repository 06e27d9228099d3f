import type { PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'
import { describeError, errorCode } from '../core/errors.ts'
import { startPeriodicJob } from '../core/periodic.ts'
import { connectToWorkspace, type DatabaseTimeouts, getPools, openKysely } from '../db/connect.ts'
import { ConnectionLimitError, isOutage, limitCheck } from '../db/outage.ts'
import type { Db } from '../db/schema.ts'
import { findLastSeen } from './replica-store.ts'
import type { ReadReplica } from './replicas.ts'

/** Maximum age of the replica's data. If the data is older, the replica isn't used. */
export const maxLagMs = 10 * secondMs

/**
 * Timeouts for statements on the replica. A statement that takes longer is run again on the primary database, with that
 * database's limit.
 */
export const readReplicaTimeouts: DatabaseTimeouts = {
  statementMs: 10 * secondMs,
  idleInTransactionMs: 10 * secondMs,
  queryMs: 12 * secondMs,
}

const checkIntervalMs = secondMs

type ReadReplicaDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'metrics' | 'replicas'>

/**
 * Checks a read replica every second, and uses it while its data isn't too old.
 *
 * Every process updates its own row of the table `replica` every two seconds. So the time in the read replica's copy of
 * this row shows how old the read replica's data is. Unlike PostgreSQL's own functions, this also works while the database
 * is idle or the read replica is disconnected. A server that isn't a replica of this database has no such row, so it's not
 * used.
 */
export function startReadReplica(deps: ReadReplicaDeps, replicaDb: Db): ReadReplica {
  const { db, clock, log, metrics } = deps
  const workspaces = new LRUCache<number, Db>({ max: 1_000 })
  const startedAt = clock.now().getTime()
  /** The time up to which the replica is complete. Undefined if that isn't known. */
  let completeUntil: number | undefined
  /** The state that was logged last. Undefined at first. */
  let wasUp: boolean | undefined

  const lagMs = () => (completeUntil === undefined ? Infinity : clock.now().getTime() - completeUntil)
  const isUsable = () => lagMs() <= maxLagMs

  const report = (up: boolean, reason?: object) => {
    metrics.readReplicaUp.set(Number(up))
    if (completeUntil === undefined) metrics.readReplicaLagSeconds.remove()
    else metrics.readReplicaLagSeconds.set(Math.max(0, lagMs()) / secondMs)
    if (wasUp === up) return
    wasUp = up
    if (up) log.info('lists and exports of the dashboard are read from the read replica')
    else log.warn(reason, "the read replica can't be used, so lists and exports are read from the database")
  }

  const setUnavailable = (error: unknown) => {
    completeUntil = undefined
    report(false, { error: describeError(error) })
  }

  const check = async () => {
    completeUntil = await limitCheck(findLastSeen(replicaDb, deps.replicas.nodeId))
    if (isUsable()) report(true)
    // Right after this process has started, its row may not have arrived at the replica yet.
    else if (clock.now().getTime() - startedAt > maxLagMs) {
      const reason =
        completeUntil === undefined ? "it doesn't have the row of this process" : 'it is too far behind'
      report(false, { reason })
    }
  }
  const job = startPeriodicJob(clock, {
    name: 'read_replica_check',
    intervalMs: checkIntervalMs,
    work: check,
    onError: setUnavailable,
  })

  const connect = async (workspaceId: number): Promise<PostgresPoolClient> => {
    const connectToDatabase = () => connectToWorkspace(db, workspaceId)
    if (!isUsable()) return connectToDatabase()
    const client = await connectToWorkspace(replicaDb, workspaceId).catch((error: unknown) => {
      if (error instanceof ConnectionLimitError) throw error
      setUnavailable(error)
    })
    return client === undefined
      ? connectToDatabase()
      : repeatOnFailure(client, connectToDatabase, setUnavailable)
  }

  return {
    openWorkspace: (workspaceId) => {
      const opened =
        workspaces.get(workspaceId) ??
        openKysely({
          options: getPools(replicaDb)[1].options,
          connect: () => connect(workspaceId),
          end: () => Promise.resolve(), // the pools belong to the two databases
        })
      workspaces.set(workspaceId, opened)
      return opened
    },
    stop: () => job.stop(),
  }
}

/**
 * Returns a connection to the replica. If the replica causes a statement outside a transaction to fail, the statement is
 * run again on the primary database.
 */
function repeatOnFailure(
  client: PostgresPoolClient,
  connectToDatabase: () => Promise<PostgresPoolClient>,
  onFailure: (error: unknown) => void,
): PostgresPoolClient {
  let isTransaction = false
  let database: PostgresPoolClient | undefined
  const query = async (text: string, values: readonly unknown[]) => {
    if (database !== undefined) return database.query(text, values)
    isTransaction ||= /^(begin|start transaction)/.test(text)
    try {
      return await client.query(text, values)
    } catch (error) {
      if (isTransaction || !isReplicaFailure(error)) throw error
      onFailure(error)
      database = await connectToDatabase()
      return database.query(text, values)
    }
  }
  return {
    query: query as PostgresPoolClient['query'],
    release: () => {
      client.release()
      database?.release()
    },
  }
}

/**
 * Returns true if the same statement can succeed on the primary database: the replica is unavailable, lacks a table or a
 * column that a migration has just added, or canceled the statement because it conflicted with replicated changes.
 */
function isReplicaFailure(error: unknown): boolean {
  const code = errorCode(error)
  if (code === readOnlyViolation) return false
  return isOutage(error) || /^(0A|42|XX)/.test(code)
}

const readOnlyViolation = '25006'
