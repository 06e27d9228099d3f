import type { Clock } from '../core/clock.ts'
import { secondMs } from '../core/durations.ts'
import { createWindowCounter } from '../core/window-counter.ts'

/** The remaining requests of a window, and the whole seconds until it ends. */
export interface Quota {
  limit: number
  remaining: number
  resetSeconds: number
  exceeded: boolean
}

/** Counts a request of `key`. */
type RateLimit = (key: string) => Quota

/**
 * Allows at most `limit` requests per key in a fixed window of `windowSeconds`, which starts with the key's first
 * request. Each process counts separately.
 */
export function createRateLimit(
  clock: Pick<Clock, 'now'>,
  { limit, windowSeconds }: { limit: number; windowSeconds: number },
): RateLimit {
  const requests = createWindowCounter(clock, { windowMs: windowSeconds * secondMs })

  return (key) => {
    const { count, endsAt } = requests.add(key)
    return {
      limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.max(1, Math.ceil((endsAt - clock.now().getTime()) / secondMs)),
      exceeded: count > limit,
    }
  }
}

/** Returns the header fields of draft-ietf-httpapi-ratelimit-headers-10. */
export const rateLimitHeaders = (quota: Quota, windowSeconds: number): Record<string, string> => ({
  'RateLimit-Policy': `"default";q=${quota.limit};w=${windowSeconds}`,
  RateLimit: `"default";r=${quota.remaining};t=${quota.resetSeconds}`,
})
