import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { minuteMs, secondMs } from '../core/durations.ts'
import { describeError, errorCode } from '../core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../core/periodic.ts'
import { closeClient } from './close-client.ts'
import { MixedSessionsError } from './outage.ts'

/** The cause of mixed sessions, and how an operator corrects it. */
export const mixedSessions = {
  reason:
    'the statements of a connection run in different sessions, as with PgBouncer in transaction mode, so the rows of workspaces could mix',
  advice: 'Use session pooling (pool_mode = session), or connect Outdial to PostgreSQL directly',
} as const

/**
 * Returns true if a connection pooler moves connections between sessions of the server. Roles, settings, and prepared
 * statements belong to a session.
 *
 * Two connections send statements in an irregular order. If the pooler assigns the session that was used last, one connection
 * gets the other's session. If the pooler assigns sessions in turn, a connection gets different ones, because of that order.
 */
export async function mixesSessions(url: string, signal?: AbortSignal): Promise<boolean> {
  const connections = [0, 1].map(() => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5 * secondMs,
      query_timeout: 5 * secondMs,
    })
    client.on('error', () => {}) // the running query rejects with this error
    return { client, mark: randomUUID(), processes: new Set<number>() }
  })
  const disconnect = () => connections.forEach(({ client }) => client.connection.stream.destroy())
  signal?.addEventListener('abort', disconnect)
  try {
    await Promise.all(connections.map(({ client }) => client.connect()))
    for (const { client, mark } of connections) await client.query(`set outdial.session = '${mark}'`)
    for (const index of [0, 1, 0, 0, 1, 1]) {
      const connection = connections[index]
      if (connection === undefined) continue
      const { rows } = await connection.client.query<{ mark: string | null; process: number }>(
        `select current_setting('outdial.session', true) as mark, pg_backend_pid() as process`,
      )
      for (const { mark, process } of rows) {
        if (mark !== connection.mark) return true
        connection.processes.add(process)
      }
    }
    return connections.some(({ processes }) => processes.size > 1)
  } finally {
    await Promise.all(connections.map(({ client }) => closeClient(client)))
    signal?.removeEventListener('abort', disconnect)
  }
}

/**
 * Errors of a statement that runs in another session than the connection's earlier statements: a prepared statement is
 * missing or exists already, a setting is missing, or the role has no right.
 */
const signs = new Set(['26000', '42P05', '42704', '42501'])

/** Minimum time between the last check and a check after a sign of mixed sessions, however many statements fail. */
const minIntervalMs = secondMs

/** Watches for a connection pooler that runs one connection's statements in several sessions. Once it finds one, it rejects statements. */
export interface SessionWatch {
  /**
   * Set once a check has found mixed sessions, until the process ends: the connections keep wrong roles and workspaces, even
   * if the pooler stops mixing sessions.
   */
  readonly failure: MixedSessionsError | undefined
  /** Checks once, or waits for the check that's already running. Rejects if the database can't be reached. */
  check(): Promise<void>
  /** Starts a check if the error is a sign of mixed sessions, but not sooner than `minIntervalMs` after the last check. */
  noticeFailure(error: unknown): void
  /** Ends the running check, which could wait for seconds for a database that doesn't respond, and prevents further checks. */
  stop(): void
}

export function watchSessions(url: string, onMixed: (failure: MixedSessionsError) => void): SessionWatch {
  let failure: MixedSessionsError | undefined
  let running: Promise<void> | undefined
  let checkedAt = -Infinity
  let isPlanned = false
  const stopping = new AbortController()

  const findMixed = async () => {
    try {
      if (!(await mixesSessions(url, stopping.signal))) return
      failure = new MixedSessionsError(
        `${mixedSessions.reason}. ${mixedSessions.advice}, then restart Outdial.`,
      )
      onMixed(failure)
    } catch (error) {
      if (!stopping.signal.aborted) throw error
    } finally {
      running = undefined
      checkedAt = performance.now()
    }
  }

  const check = async () => {
    if (failure === undefined && !stopping.signal.aborted) await (running ??= findMixed())
  }

  const checkAfterSign = async () => {
    if (isPlanned) return
    isPlanned = true
    // A check that's running may have started before the sessions were mixed.
    await running?.catch(() => {})
    await delay(Math.max(0, checkedAt + minIntervalMs - performance.now()), undefined, { ref: false })
    isPlanned = false
    await check()
  }

  return {
    get failure() {
      return failure
    },
    check,
    noticeFailure: (error) => {
      // If this check fails, another one follows after the next sign or within a minute.
      if (failure === undefined && signs.has(errorCode(error))) void checkAfterSign().catch(() => {})
    },
    stop: () => stopping.abort(),
  }
}

/** Starts a job that checks all watches now and every minute. Stopping the job also stops the watches. */
export const startSessionChecks = (
  clock: Clock,
  log: Pick<Logger, 'debug'>,
  watches: readonly SessionWatch[],
): PeriodicJob => {
  const job = startPeriodicJob(clock, {
    name: 'session_check',
    intervalMs: minuteMs,
    work: () => Promise.all(watches.map((watch) => watch.check())),
    onError: (error) => log.debug({ error: describeError(error) }, "failed to check the database's sessions"),
  })
  return {
    ...job,
    stop: async () => {
      for (const watch of watches) watch.stop()
      await job.stop()
    },
  }
}
