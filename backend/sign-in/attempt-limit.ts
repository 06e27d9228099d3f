import type { Clock } from '../core/clock.ts'

export interface Tries {
  /** Counts a try. False where there were too many. */
  take(key: string): boolean
  /** Forgets the tries of a key: one has succeeded. */
  clear(key: string): void
}

/** At most `max` tries per key within `windowMs` of the first. Counted before the try, so that many at once count too. */
export function createTries(clock: Clock, { max, windowMs }: { max: number; windowMs: number }): Tries {
  const counts = new Map<string, { taken: number; until: number }>()

  return {
    take: (key) => {
      const now = clock.now().getTime()
      for (const [other, { until }] of counts) if (until <= now) counts.delete(other)
      const count = counts.get(key) ?? { taken: 0, until: now + windowMs }
      count.taken += 1
      counts.set(key, count)
      return count.taken <= max
    },
    clear: (key) => void counts.delete(key),
  }
}
