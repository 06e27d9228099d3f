import type { Clock } from '../../../platform/core/clock.ts'
import { minuteMs } from '../../../platform/core/durations.ts'

/** Remembers which models fail, so that conversations don't wait for them again and again. */
export interface ModelHealth {
  /** Returns true if requests should go to the second model for now. */
  isPaused(key: string): boolean
  addSuccess(key: string): void
  addFailure(key: string): void
}

const maxFailures = 3
const pauseMs = minuteMs

/**
 * Creates a memory of failures by URL and model. After three in a row, a model is paused for a minute. If the first
 * request after that fails, it's paused again.
 */
export function createModelHealth(clock: Pick<Clock, 'now'>): ModelHealth {
  const failures = new Map<string, { count: number; lastAt: number }>()
  return {
    isPaused: (key) => {
      const { count, lastAt } = failures.get(key) ?? { count: 0, lastAt: 0 }
      return count >= maxFailures && clock.now().getTime() - lastAt < pauseMs
    },
    addSuccess: (key) => void failures.delete(key),
    addFailure: (key) => {
      const count = failures.get(key)?.count ?? 0
      failures.set(key, { count: count + 1, lastAt: clock.now().getTime() })
    },
  }
}
