import type { CallOutcome, EndedReason, RetryPolicy } from '@outdial/contract'
import { minuteMs } from '../core/durations.ts'

/**
 * Returns true where another attempt follows. After a lost worker's attempt none does unless its call is known to be
 * over: the contact may have been called, and no provider can tell.
 *
 * @param attempts made so far, this one included
 */
export function shouldRetry(
  policy: RetryPolicy,
  result: { outcome: CallOutcome; endedReason: EndedReason; confirmedOver?: boolean },
  attempts: number,
): boolean {
  if (result.endedReason === 'worker_lost' && result.confirmedOver !== true) return false
  if (attempts >= policy.max_attempts) return false
  return policy.on.some((outcome) => outcome === result.outcome)
}

/**
 * Returns the milliseconds from the end of an attempt until the next is due.
 *
 * @param speed simulated seconds per second of the clock: a sped-up simulation waits less, too
 */
export const retryDelayMs = (policy: RetryPolicy, speed: number): number =>
  Math.round((policy.delay_minutes * minuteMs) / speed)
