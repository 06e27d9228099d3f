import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** A window of time in which the events of one key are counted. */
interface Window {
  count: number
  /** In milliseconds since the epoch. */
  endsAt: number
}

interface WindowCounter {
  /** Counts one more event of `key`. */
  add(key: string): Readonly<Window>
  /** Forgets what was counted for `key`. */
  clear(key: string): void
}

/**
 * Counts events by key in fixed windows of `windowMs`; the first event of a key opens its window. It counts
 * in this process, and remembers at most `maxKeys` keys: the ones that were counted last.
 */
export function createWindowCounter(
  clock: Pick<Clock, 'now'>,
  { windowMs, maxKeys = 50_000 }: { windowMs: number; maxKeys?: number },
): WindowCounter {
  // With `max`, it would allocate room for all of these keys now.
  const windows = new LRUCache<string, Window>({ maxSize: maxKeys, sizeCalculation: () => 1 })

  return {
    add: (key) => {
      const now = clock.now().getTime()
      const current = windows.get(key)
      const window =
        current !== undefined && current.endsAt > now ? current : { count: 0, endsAt: now + windowMs }
      window.count += 1
      windows.set(key, window)
      return window
    },
    clear: (key) => void windows.delete(key),
  }
}
