import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { secondMs } from '../core/durations.ts'
import { errorCode, StartupError } from '../core/errors.ts'
import { closeClient } from './close-client.ts'
import { isOutage } from './outage.ts'
import { mixedSessions, mixesSessions } from './session-watch.ts'

/** The oldest PostgreSQL version that the tests run on. */
const minVersion = 15

/** How to wait for a database that isn't available. */
interface WaitOptions {
  url: string
  timeoutMs: number
  log: Logger
}

/**
 * Waits until the server accepts connections, because it may be starting at the same time as Outdial.
 *
 * @throws {StartupError} after the timeout, or immediately if waiting can't help, for example with a wrong password
 */
export async function waitForDatabase(options: WaitOptions): Promise<void> {
  const deadline = Date.now() + options.timeoutMs
  for (let attempts = 0; ; attempts += 1) {
    const failure = await findFailure(options.url)
    if (failure === undefined) return
    if (!failure.isTemporary || Date.now() >= deadline) throw unusable(options.url, failure)
    if (attempts === 0)
      options.log.warn(`waiting for the database at ${formatServer(options.url)}: ${failure.reason}`)
    await delay(Math.min(retryMs, Math.max(0, deadline - Date.now())))
  }
}

/**
 * Does a step of the startup. If the database becomes unavailable during the step, waits until it's available and does
 * the step again.
 *
 * @param step has the same effect if it's done twice
 * @throws {StartupError} if the database isn't available in time
 */
export async function repeatAfterOutage<Result>(
  { url, timeoutMs, log }: WaitOptions,
  step: () => Promise<Result>,
): Promise<Result> {
  // The deadline is set at the first outage: before that, a step can wait long for another process that converts tables.
  let deadline: number | undefined
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isOutage(error)) throw error
      deadline ??= Date.now() + timeoutMs
      if (Date.now() >= deadline) throw unusable(url, { reason: formatReason(error) }, error)
      log.warn(`lost the database at ${formatServer(url)} during startup: ${formatReason(error)}`)
    }
    // Waits here, too: a server that's still shutting down, for example, can accept connections and then fail each time.
    await delay(Math.min(retryMs, Math.max(0, deadline - Date.now())))
    await waitForDatabase({ url, timeoutMs: Math.max(0, deadline - Date.now()), log })
  }
}

const retryMs = 500

const formatServer = (url: string): string => {
  const { hostname, port, pathname } = new URL(url)
  return `${decodeURIComponent(hostname)}${port && `:${port}`}${pathname}`
}

const unusable = (
  url: string,
  {
    reason,
    advice = 'Check DATABASE_URL and that the database is running',
  }: Omit<ConnectionFailure, 'isTemporary'>,
  cause?: unknown,
) =>
  new StartupError(
    `The database in DATABASE_URL (${formatServer(url)}) can't be used: ${reason}. ${advice}, then start Outdial again.`,
    { cause },
  )

interface ConnectionFailure {
  reason: string
  advice?: string
  isTemporary: boolean
}

async function findFailure(url: string): Promise<ConnectionFailure | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5 * secondMs,
    query_timeout: 5 * secondMs,
    keepAlive: true,
  })
  client.on('error', () => {}) // the promise below rejects with this error
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; encoding: string }>(
      `select current_setting('server_version_num')::int / 10000 as version, getdatabaseencoding() as encoding`,
    )
    const failure = rows[0] && checkServer(rows[0])
    if (failure !== undefined) return failure
    return (await mixesSessions(url)) ? { ...mixedSessions, isTemporary: false } : undefined
  } catch (error) {
    return { reason: formatReason(error), isTemporary: isOutage(error) || isTimeout(error) }
  } finally {
    await closeClient(client)
  }
}

function checkServer({
  version,
  encoding,
}: {
  version: number
  encoding: string
}): ConnectionFailure | undefined {
  if (version < minVersion) {
    return {
      reason: `it's PostgreSQL ${version}, but Outdial needs ${minVersion} or newer`,
      isTemporary: false,
    }
  }
  if (encoding === 'UTF8') return undefined
  return { reason: `its encoding is ${encoding}, but Outdial needs UTF8`, isTemporary: false }
}

/** Checks for the driver's timeout, which is an error without a code. */
const isTimeout = (error: unknown) => errorCode(error) === ''

/** Returns why a connection failed. An AggregateError, for a host name with several addresses, has a code, but no message. */
function formatReason(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
  return message.replace(/\.$/, '') || errorCode(error) || "it doesn't respond"
}
