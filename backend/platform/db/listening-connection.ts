import pg from 'pg'
import type { Logger } from 'pino'
import { systemClock } from '../core/clock.ts'
import { secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { closeClient } from './close-client.ts'

/** A connection on which this process gets the notifications of other processes, and sends its own. */
interface ListeningConnection {
  /** Returns false while the connection is lost. */
  isConnected(): boolean
  /**
   * Sends messages of fewer than 8,000 bytes each to the processes that listen, in one statement.
   *
   * @throws {Error} if the connection is lost
   */
  notify(messages: readonly string[]): Promise<void>
  close(): Promise<void>
}

/**
 * How often a process tries to replace a lost connection, how often it checks the connection, and how long a response can
 * take.
 */
const retryMs = secondMs
const checkMs = 10 * secondMs
const timeoutMs = 5 * secondMs

/**
 * Keeps one connection, apart from the pools, and replaces it whenever it's lost or silent. Messages that are sent while the
 * connection is lost never arrive, so don't use it for messages that must arrive.
 *
 * @param options.onMessage undefined if this process has nothing to listen for
 * @param options.onConnect called after each successful attempt to connect: earlier messages may have been missed
 * @param options.onLost called each time an attempt to connect has failed or the connection is lost
 */
export function keepListening(
  { log }: { log: Pick<Logger, 'warn' | 'info'> },
  options: {
    url: string
    channel: string
    onMessage: ((message: string) => void) | undefined
    onConnect: () => void
    onLost: () => void
  },
): ListeningConnection {
  const { url, channel, onMessage, onConnect, onLost } = options
  const closing = new AbortController()
  let current: { client: pg.Client; lost: AbortController } | undefined
  let wasLost = false

  const report = (error: unknown) => {
    onLost()
    if (wasLost || closing.signal.aborted) return
    wasLost = true
    log.warn(
      { error: describeError(error) },
      'lost the database connection that tells workers about new work, trying again every second; meanwhile, workers ' +
        'look for work once a second',
    )
  }

  const connectOnce = async () => {
    const client = new pg.Client({
      connectionString: url,
      application_name: `${channel} notifications`,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    })
    const lost = new AbortController()
    const ended = AbortSignal.any([lost.signal, closing.signal])
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('the server closed the connection')))
    if (onMessage) client.on('notification', ({ payload = '' }) => onMessage(payload))
    const close = () => void closeClient(client).catch(() => {})
    closing.signal.addEventListener('abort', close)
    try {
      await client.connect()
      await requirePrimary(client)
      if (onMessage) await client.query(`listen ${client.escapeIdentifier(channel)}`)
      current = { client, lost }
      if (wasLost) log.info('restored the database connection that tells workers about new work')
      wasLost = false
      onConnect()
      while (!ended.aborted) {
        await requirePrimary(client)
        await systemClock.wait(checkMs, ended)
      }
      report(lost.signal.reason)
    } catch (error) {
      report(error)
    } finally {
      current = undefined
      closing.signal.removeEventListener('abort', close)
      await closeClient(client).catch(() => {})
    }
  }

  const keepConnected = async () => {
    while (!closing.signal.aborted) {
      await connectOnce()
      await systemClock.wait(retryMs, closing.signal)
    }
  }
  const running = keepConnected()

  return {
    isConnected: () => current !== undefined,
    notify: async (messages) => {
      if (current === undefined)
        throw new Error('the database connection that tells workers about new work is lost')
      const { client, lost } = current
      try {
        await client.query({
          name: 'notify',
          // The commit doesn't wait for the disk, because losing a message in a crash does no harm.
          text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, message) from unnest($2::text[]) as message`,
          values: [channel, messages],
        })
      } catch (error) {
        lost.abort(error)
        throw error
      }
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

/** Rejects for a standby, which can't notify anyone, and for a server that doesn't respond. */
async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"')
  if (rows[0]?.isStandby === true) throw new Error('the server is a standby')
}
