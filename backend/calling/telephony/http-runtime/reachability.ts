import type { Clock, Random } from '../../../platform/core/clock.ts'
import { minuteMs, secondMs } from '../../../platform/core/durations.ts'

/**
 * Tracks whether the runtime can be reached, as the dial requests of this process show. While it can't be reached, no
 * calls are started. After a delay that doubles up to a minute, one call is started to check.
 */
export interface Reachability {
  /** Returns how many calls can be started now, at most `capacity`. */
  limitCapacity: (capacity: number) => number
  /** Call this when a dial request is sent. Call one of the returned functions when it has ended. */
  startRequest: () => { succeed: () => void; fail: (error: unknown) => void }
}

const firstDelayMs = secondMs
const maxDelayMs = minuteMs

export function createReachability(deps: {
  clock: Clock
  random: Random
  /** Called once when the runtime becomes unreachable. */
  onUnreachable: (error: unknown) => void
  /** Called once when the runtime can be reached again. */
  onReachable: () => void
}): Reachability {
  const { clock, random, onUnreachable, onReachable } = deps
  let failures = 0
  let nextRequestAt = 0
  // Increases with each failure and recovery. A request that was sent in an earlier period says nothing about this one.
  let period = 0

  const now = () => clock.now().getTime()
  const postpone = () => {
    const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs)
    nextRequestAt = now() + delayMs * (0.5 + random() / 2)
  }

  return {
    limitCapacity: (capacity) => {
      if (failures === 0) return capacity
      return now() < nextRequestAt ? 0 : Math.min(1, capacity)
    },
    startRequest: () => {
      if (failures > 0) postpone() // so that only one request at a time checks the runtime
      const sentIn = period
      return {
        succeed: () => {
          if (failures === 0 || sentIn !== period) return
          failures = 0
          period += 1
          onReachable()
        },
        fail: (error) => {
          if (sentIn !== period) return
          failures += 1
          period += 1
          postpone()
          if (failures === 1) onUnreachable(error)
        },
      }
    },
  }
}
