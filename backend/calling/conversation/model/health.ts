import type { Clock } from '../../../platform/core/clock.ts'
import { minuteMs } from '../../../platform/core/durations.ts'

/** Remembers which models fail, so that conversations don't wait for them again and again. */
export interface ModelHealth {
  /** Returns true if requests should go to the second model for now. */
  isPaused(key: string): Promise<boolean>
  addSuccess(key: string): Promise<void>
  addFailure(key: string): Promise<void>
}

/** The failures of a model since its last success. */
export interface ModelFailures {
  count: number
  lastAt: Date
}

const maxFailures = 3
const pauseMs = minuteMs

/**
 * Returns true if a model is paused: for a minute after three failures in a row. If the first request after that fails, the
 * model is paused again.
 */
export const isPaused = ({ count, lastAt }: ModelFailures, now: Date): boolean =>
  count >= maxFailures && now.getTime() - lastAt.getTime() < pauseMs

/** Remembers failures only in this process, for a client without a database. The keys identify a URL and a model. */
export function createModelHealth(clock: Pick<Clock, 'now'>): ModelHealth {
  const failuresByKey = new Map<string, ModelFailures>()
  return {
    isPaused: async (key) => {
      const failures = failuresByKey.get(key)
      return failures !== undefined && isPaused(failures, clock.now())
    },
    addSuccess: async (key) => void failuresByKey.delete(key),
    addFailure: async (key) => {
      const count = failuresByKey.get(key)?.count ?? 0
      failuresByKey.set(key, { count: count + 1, lastAt: clock.now() })
    },
  }
}
