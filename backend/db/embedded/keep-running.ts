import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { secondMs } from '../../core/durations.ts'
import { describeError } from '../../core/errors.ts'
import type { Postmaster } from './postmaster.ts'

/**
 * Starts PostgreSQL, and restarts it when it ends without being stopped, for example when it's killed because memory
 * ran out. Meanwhile, the service responds with 503. Only the first start throws.
 */
export async function startWithRestarts(
  start: () => Promise<Postmaster>,
  log: Logger,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  let current = await start()

  const restart = async (): Promise<void> => {
    while (!stopped()) {
      try {
        current = await start()
        return
      } catch (error) {
        log.error({ error: describeError(error) }, 'failed to start embedded PostgreSQL; retrying')
        await delay(secondMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const watch = async () => {
    while (!stopped()) {
      await current.ended
      if (stopped()) return
      log.error('embedded PostgreSQL ended; restarting it')
      await restart()
    }
  }
  const watchPromise = watch()

  return {
    stop: async () => {
      stopping.abort()
      await current.stop()
      await watchPromise
      await current.stop()
    },
  }
}
