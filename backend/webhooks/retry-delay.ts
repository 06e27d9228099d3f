import type { Random } from '../core/clock.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../core/durations.ts'

/**
 * Delays after the first failed attempt, the second, and so on. After the last delay there's one more
 * attempt.
 */
export const retrySchedule = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

const maxRetryAfterMs = dayMs

/**
 * Returns the milliseconds until the next attempt, or undefined where there is none. Jitter makes the delay
 * up to a fifth longer. A receiver's `Retry-After` (in milliseconds) can only make it longer still, up to a
 * day: it says when the receiver is ready at the earliest (RFC 9110, 10.2.3), and must not speed up or
 * outlast the schedule.
 */
export function retryDelay(failedAttempts: number, random: Random, retryAfterMs = 0): number | undefined {
  const scheduled = retrySchedule[failedAttempts - 1]
  if (scheduled === undefined) return undefined
  const jittered = Math.round(scheduled * (1 + random() / 5))
  return Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs))
}

/**
 * Parses `Retry-After`, seconds or an HTTP date, as milliseconds from `now`. Undefined where it's missing or
 * invalid.
 */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * secondMs
  // Without its zone a date would be read as local time, and a bare number as a year.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
