import type { Clock } from '../core/clock.ts'

export interface AttemptLimit {
  /** Counts a try. False where there were too many. */
  consume(key: string): boolean
  /** Forgets the tries of a key: one has succeeded. */
  clear(key: string): void
}

/** At most `max` tries per key within `windowMs` of the first. Counted before the try, so that many at once count too. */
export function createAttemptLimit(
  clock: Clock,
  { max, windowMs }: { max: number; windowMs: number },
): AttemptLimit {
  const counts = new Map<string, { attempts: number; until: number }>()

  return {
    consume: (key) => {
      const now = clock.now().getTime()
      for (const [other, { until }] of counts) if (until <= now) counts.delete(other)
      const count = counts.get(key) ?? { attempts: 0, until: now + windowMs }
      count.attempts += 1
      counts.set(key, count)
      return count.attempts <= max
    },
    clear: (key) => void counts.delete(key),
  }
}
