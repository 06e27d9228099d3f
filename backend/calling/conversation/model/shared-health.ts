import type { Logger } from 'pino'
import type { Clock } from '../../../platform/core/clock.ts'
import { describeError } from '../../../platform/core/errors.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { isPaused, type ModelHealth } from './health.ts'
import { addFailure, deleteFailures, selectFailures } from './health-store.ts'

interface HealthDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  log: Pick<Logger, 'warn'>
}

/**
 * Remembers failures in the database, for all processes. A database error doesn't end a conversation: every model then counts
 * as healthy.
 */
export function shareModelHealth({ db, clock, log }: HealthDeps): ModelHealth {
  /** The models that have stored failures, as far as this process knows. Only their successes need an SQL statement. */
  const failing = new Set<string>()
  const onError = (error: unknown) =>
    log.warn({ error: describeError(error) }, "failed to read or save a language model's failures")
  return {
    isPaused: async (key) => {
      try {
        const failures = await selectFailures(db, key)
        if (failures === undefined) {
          failing.delete(key)
          return false
        }
        failing.add(key)
        return isPaused(failures, clock.now())
      } catch (error) {
        onError(error)
        return false
      }
    },
    addSuccess: async (key) => {
      if (failing.delete(key)) await deleteFailures(db, key).catch(onError)
    },
    addFailure: async (key) => {
      failing.add(key)
      await addFailure(db, key, clock.now()).catch(onError)
    },
  }
}
