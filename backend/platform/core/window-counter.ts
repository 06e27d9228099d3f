import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** A time window in which the events of one key are counted. */
export interface Window {
  count: number
  /** The end of the window, in milliseconds since the epoch. */
  endsAt: number
}

export interface WindowCounter {
  /** Counts an event of `key`. */
  add(key: string): Readonly<Window>
  /** Takes back one event of `key`. */
  subtract(key: string): void
  /** Resets the count of `key`. */
  clear(key: string): void
}

/**
 * Counts events by key in fixed windows of `windowMs`. A key's first event starts its window. Counts only the
 * events of this process, and remembers the last `maxKeys` keys.
 */
export function createWindowCounter(
  clock: Pick<Clock, 'now'>,
  { windowMs, maxKeys = 50_000 }: { windowMs: number; maxKeys?: number },
): WindowCounter {
  // The option `max` would allocate memory for all keys immediately.
  const windows = new LRUCache<string, Window>({ maxSize: maxKeys, sizeCalculation: () => 1 })

  return {
    add: (key) => {
      const now = clock.now().getTime()
      const current = windows.get(key)
      if (current !== undefined && current.endsAt > now) {
        current.count += 1
        return current
      }
      const window = { count: 1, endsAt: now + windowMs }
      windows.set(key, window)
      return window
    },
    subtract: (key) => {
      const window = windows.get(key)
      if (window !== undefined && window.count > 0) window.count -= 1
    },
    clear: (key) => void windows.delete(key),
  }
}
