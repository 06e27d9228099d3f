import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'
import type { Window } from '../core/window-counter.ts'
import { countInOrder, createSharedCounter } from './shared-counter.ts'

/** How many requests remain in a window, and the whole seconds until the window ends. */
export interface Quota {
  limit: number
  remaining: number
  resetSeconds: number
  exceeded: boolean
}

/**
 * Counts a request against limits in their order, with one key for each. Stops at the first limit that the request exceeds.
 * Returns the quotas of the limits that counted the request, so an exceeded limit comes last.
 */
type RateLimits = (...keys: string[]) => Promise<Quota[]>

/**
 * Creates limits of requests per key in a fixed window of `windowSeconds`, which starts with the key's first request. All
 * processes share the counts, with one round trip per request. If they added up their counts only from time to time, a
 * client could exceed a limit in between, once per process.
 *
 * @param limits maximum requests per window, by the name of the limit
 */
export function createRateLimits(
  deps: Pick<Deps, 'clock' | 'replicas'>,
  { limits, windowSeconds }: { limits: Record<string, number>; windowSeconds: number },
): RateLimits {
  const counted = Object.entries(limits).map(([name, limit]) => ({
    counter: createSharedCounter(deps, { name, windowMs: windowSeconds * secondMs }),
    max: limit,
  }))
  const toQuota = ({ count, endsAt }: Window, limit: number): Quota => ({
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil((endsAt - deps.clock.now().getTime()) / secondMs)),
    exceeded: count > limit,
  })

  return async (...keys) => {
    const steps = keys.flatMap((key, index) => {
      const step = counted[index]
      return step === undefined ? [] : [{ ...step, key }]
    })
    const windows = await countInOrder(deps, steps)
    return windows.map((window, index) => toQuota(window, steps[index]?.max ?? 0))
  }
}
