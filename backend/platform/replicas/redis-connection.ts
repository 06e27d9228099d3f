import { createClient } from '@redis/client'
import type { Deps } from '../../deps.ts'
import { systemClock } from '../core/clock.ts'
import { secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'

type RedisClient = ReturnType<typeof createRedisClient>

interface RedisConnection {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  firstAttempt: Promise<void>
  /** Returns undefined while Redis isn't available. */
  client(): RedisClient | undefined
  close(): Promise<void>
}

/** How often a process tries to connect again, how often it checks the connection, and how long a check can take. */
const retryMs = secondMs
const checkMs = secondMs
const checkTimeoutMs = 2 * secondMs
/** Maximum time to connect and authenticate, and then again to subscribe. */
const connectTimeoutMs = 3 * secondMs

/**
 * Keeps one connection to Redis, for commands and for subscriptions (RESP3 allows both on one connection), and replaces it
 * whenever it's lost or silent. Commands don't wait for Redis: they fail while it isn't available.
 *
 * The client library's own reconnecting is off. It would make a connection available before its subscriptions are restored,
 * and wouldn't replace a silent connection while commands are still written to it.
 */
export function connectRedis(
  { log, metrics }: Pick<Deps, 'log' | 'metrics'>,
  options: { url: string; channels: string[]; onMessage: (message: string, channel: string) => void },
): RedisConnection {
  const closing = new AbortController()
  const firstAttempt = Promise.withResolvers<void>()
  let current: RedisClient | undefined
  /** Undefined before the first attempt. */
  let isUp: boolean | undefined

  const report = (up: boolean, error?: unknown) => {
    metrics.redisUp.set(Number(up))
    firstAttempt.resolve()
    if (isUp === up || closing.signal.aborted) return
    if (up) log.info('connected to Redis')
    else log.warn({ error: describeError(error) }, 'Redis is unavailable, trying again every second')
    isUp = up
  }

  const connectOnce = async () => {
    const client = createRedisClient(options.url)
    const lost = new AbortController()
    client.on('error', (error: unknown) => lost.abort(error))
    try {
      await failAfter(connectTimeoutMs, client.connect())
      await failAfter(connectTimeoutMs, client.subscribe(options.channels, options.onMessage))
      current = client
      report(true)
      const ended = AbortSignal.any([lost.signal, closing.signal])
      while (!ended.aborted) {
        await failAfter(checkTimeoutMs, client.ping())
        await systemClock.wait(checkMs, ended)
      }
      report(false, lost.signal.reason)
    } catch (error) {
      report(false, error)
    } finally {
      current = undefined
      // Sends the commands that are still waiting.
      if (closing.signal.aborted && client.isReady)
        await failAfter(checkTimeoutMs, client.close()).catch(() => {})
      if (client.isOpen) client.destroy()
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
    firstAttempt: firstAttempt.promise,
    client: () => (current?.isReady === true ? current : undefined),
    close: async () => {
      closing.abort()
      await running
    },
  }
}

const createRedisClient = (url: string) =>
  createClient({
    url,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
  })

/** Settles like `work`, or rejects after `ms`. A response that arrived in time counts, even if this process was busy. */
export function failAfter<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`Redis didn't respond within ${ms} ms`))
    // Node runs timers before it reads responses that have arrived. So this waits until they've been read.
    const timer = setTimeout(() => setImmediate(fail), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
