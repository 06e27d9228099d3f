import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { secondMs } from '../core/durations.ts'
import { errorCode, StartupError } from '../core/errors.ts'

/** The oldest PostgreSQL version that the tests run on. */
const minVersion = 15

/**
 * Waits until the server accepts connections: it may be starting at the same time.
 *
 * @throws {StartupError} after the timeout, or immediately if waiting can't help, for example with a wrong password
 */
export async function waitForDatabase(options: {
  url: string
  timeoutMs: number
  log: Logger
}): Promise<void> {
  const deadline = Date.now() + options.timeoutMs
  for (let attempts = 0; ; attempts += 1) {
    const failure = await findFailure(options.url)
    if (failure === undefined) return
    const { hostname, port, pathname } = new URL(options.url)
    const server = `${decodeURIComponent(hostname)}${port && `:${port}`}${pathname}`
    if (!failure.isTemporary || Date.now() >= deadline) {
      throw new StartupError(`The database in DATABASE_URL (${server}) can't be used: ${failure.reason}.`)
    }
    if (attempts === 0) options.log.warn(`waiting for the database at ${server}: ${failure.reason}`)
    await delay(Math.min(500, Math.max(0, deadline - Date.now())))
  }
}

interface ConnectionFailure {
  reason: string
  isTemporary: boolean
}

async function findFailure(url: string): Promise<ConnectionFailure | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5 * secondMs })
  client.on('error', () => {}) // the promise below rejects with it
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; encoding: string }>(
      `select current_setting('server_version_num')::int / 10000 as version, getdatabaseencoding() as encoding`,
    )
    return rows[0] && checkServer(rows[0])
  } catch (error) {
    return { reason: formatReason(error), isTemporary: temporaryErrorCodes.has(errorCode(error)) }
  } finally {
    await client.end()
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

/** The server isn't reachable yet, is starting, or has no free connections. '' is a timeout. */
const temporaryErrorCodes = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOENT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'EPIPE',
    '',
  ],
  ...['57P03', '53300'],
])

/** Formats the reason. An AggregateError, for a host name with several addresses, has no message. */
function formatReason(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
  return message.replace(/\.$/, '') || errorCode(error) || "it doesn't respond"
}
