import type { CallOutcome, EndedReason, RetryPolicy } from '@outdial/contract'
import { minuteMs } from '../../platform/core/durations.ts'

/**
 * Returns true if the call gets another attempt. If the worker was lost, the call must also be known to be over. Otherwise, the
 * contact could get two calls at once.
 *
 * @param attempts how many attempts were made so far, including this one
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
 * Returns the milliseconds from the end of an attempt until the next one is due.
 *
 * @param speed simulated seconds per second of the clock; a sped-up simulation also waits less
 */
export const retryDelayMs = (policy: RetryPolicy, speed: number): number =>
  Math.round((policy.delay_minutes * minuteMs) / speed)
