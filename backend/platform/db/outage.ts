import { setTimeout } from 'node:timers/promises'
import { secondMs } from '../core/durations.ts'
import { errorCode, isError } from '../core/errors.ts'

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the socket file of an embedded database that has stopped
])

// PostgreSQL, appendix A: connection failures, shutdown, insufficient resources, errors that a retry can fix, and prepared
// statements of another session, which only a connection pooler causes.
const sqlStates = /^(08...|57P0[1-5]|53...|25P03|40001|40P01|55P03|57014|25006|26000|42P05)$/

// Errors of node-postgres without a code.
const driverMessages = [
  'timeout exceeded when trying to connect', // error of a pool
  'timeout expired', // error of a client
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'Query read timeout',
]

/** Thrown if a workspace's other transactions, which may wait for a lock, have used all of its connections for too long. */
export class ConnectionLimitError extends Error {
  constructor() {
    super("the workspace's other transactions have all of its connections")
  }
}

/** Thrown if a connection pooler mixes the sessions of the server. Then no statement may run: see session-watch.ts. */
export class MixedSessionsError extends Error {}

/** Returns true if the database is unavailable or overloaded. The client can then send the request again later. */
export function isOutage(error: unknown): boolean {
  if (!isError(error)) return false
  if (error instanceof ConnectionLimitError || error instanceof MixedSessionsError) return true
  const code = errorCode(error)
  if ('syscall' in error && error.syscall !== 'connect' && code === 'ENOENT') return false
  if (networkCodes.has(code) || sqlStates.test(code)) return true
  if (driverMessages.some((message) => error.message.startsWith(message))) return true
  return isOutage(error.cause)
}

/**
 * Returns true if PostgreSQL is available and has certainly rolled back the transaction, for example because of a conflict
 * between transactions, values that it can't store, or a statement that took too long.
 */
export const isRolledBack = (error: unknown): boolean =>
  isError(error) && /^(57014|(0A|2[0-9]|3[0-9]|4[0-9]|54|P0|XX)[0-9A-Z]{3})$/.test(errorCode(error))

/**
 * Returns true if PostgreSQL has rolled back the transaction because of a conflict between transactions, such as a
 * deadlock.
 */
export const isConflict = (error: unknown): boolean => isError(error) && /^40/.test(errorCode(error))

const checkTimeoutMs = 3 * secondMs

/**
 * Limits how long a health check or a scrape waits for the database, because the client gives up before a statement's
 * time limit: Prometheus after 10 seconds by default. `work` itself isn't stopped.
 *
 * @throws an error for which `isOutage` is true, after 3 seconds
 */
export const limitCheck = <Result>(work: Promise<Result>): Promise<Result> =>
  Promise.race([
    work,
    setTimeout(checkTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error('Query read timeout')
    }),
  ])
