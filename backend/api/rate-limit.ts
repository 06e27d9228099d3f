import type { Clock } from '../core/clock.ts'

/** What is left of a quota, and the whole seconds until it is full again. */
export interface Quota {
  limit: number
  remaining: number
  resetSeconds: number
  exceeded: boolean
}

/** Counts one more request of `key`. */
export type RateLimit = (key: string) => Quota

/**
 * At most `limit` requests of one key in a fixed window of `windowSeconds` that its first one opens.
 * Counts in this process; the least recently opened windows are forgotten beyond `keys`.
 */
export function createRateLimit(
  clock: Pick<Clock, 'now'>,
  options: { limit: number; windowSeconds: number; maxKeys?: number },
): RateLimit {
  const { limit, windowSeconds, maxKeys = 50_000 } = options
  const windows = new Map<string, { endsAt: number; count: number }>()

  const getWindow = (key: string, now: number) => {
    const current = windows.get(key)
    if (current !== undefined && current.endsAt > now) return current
    const fresh = { endsAt: now + windowSeconds * 1000, count: 0 }
    windows.delete(key)
    windows.set(key, fresh)
    const [oldest] = windows.keys()
    if (windows.size > maxKeys && oldest !== undefined) windows.delete(oldest)
    return fresh
  }

  return (key) => {
    const now = clock.now().getTime()
    const window = getWindow(key, now)
    window.count += 1
    return {
      limit,
      remaining: Math.max(0, limit - window.count),
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
      exceeded: window.count > limit,
    }
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export const rateLimitHeaders = (quota: Quota, windowSeconds: number): Record<string, string> => ({
  'RateLimit-Policy': `"default";q=${quota.limit};w=${windowSeconds}`,
  RateLimit: `"default";r=${quota.remaining};t=${quota.resetSeconds}`,
})
