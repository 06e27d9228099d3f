import type { CallOutcome, EndedReason, RetryPolicy } from '@outdial/contract'

/**
 * Whether another attempt follows. A lost worker's is not dialed again, where the person may have been rung and
 * nobody can be asked.
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
 * Milliseconds from the end of an attempt until the next is due.
 *
 * @param speed seconds on the line per second of the clock: a sped-up demonstration waits less, too
 */
export const retryDelayMs = (policy: RetryPolicy, speed: number): number =>
  Math.round((policy.delay_minutes * 60_000) / speed)
