import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/core/clock.ts'
import { maxCountAgeMs } from '../page/recent-change.ts'

/** If more calls than this are counted, views share the result. Counting 7,800 calls made the page take 1.6 times as long. */
export const maxUnsharedCalls = 5_000

/** Maximum number of workspaces whose counts are in memory. The counts of one can take 100 KB. */
const maxWorkspaces = 100

/**
 * Returns a function that counts a workspace's calls. If there are many, it returns the same result to all views within
 * 10 seconds. Concurrent views share a count, even of few calls.
 *
 * - `key` identifies what is counted.
 * - If `isCurrent` is true, it counts even if there's a recent or concurrent result.
 */
export function shareCounts<Counts extends { callCount: number }>(clock: Clock) {
  const shared = new LRUCache<string, Promise<Counts>>({
    max: maxWorkspaces,
    ttl: maxCountAgeMs - 1, // lru-cache still returns an entry that's as old as its TTL
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
  })
  return (key: string, isCurrent: boolean, count: () => Promise<Counts>): Promise<Counts> => {
    const found = isCurrent ? undefined : shared.get(key)
    if (found !== undefined) return found
    const counting = count()
    shared.set(key, counting)
    const stopSharing = () => {
      if (shared.peek(key) === counting) shared.delete(key)
    }
    counting.then(({ callCount }) => {
      if (callCount <= maxUnsharedCalls) stopSharing()
    }, stopSharing)
    return counting
  }
}
