import type { Random } from '../platform/core/clock.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../platform/core/durations.ts'

/** The delays after the first failed attempt, the second, and so on. One more attempt follows the last delay. */
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

/** The maximum jitter, as a share of the delay that it's added to. */
export const maxJitter = 0.2

export const maxRetryAfterMs = dayMs

/**
 * Returns the milliseconds until the next attempt, or undefined if there is none. Jitter makes the delay up to a fifth
 * longer. A receiver's `Retry-After` (in milliseconds) can make it longer, up to a day, but never shorter, because it's
 * the earliest time when the receiver is ready (RFC 9110, section 10.2.3).
 */
export function retryDelay(failedAttempts: number, random: Random, retryAfterMs = 0): number | undefined {
  const scheduled = retrySchedule[failedAttempts - 1]
  if (scheduled === undefined) return undefined
  const jittered = Math.round(scheduled * (1 + random() * maxJitter))
  return Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs))
}

/** Parses `Retry-After`, seconds or an HTTP date, as milliseconds from `now`. Undefined if it's missing or invalid. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * secondMs
  // Without a time zone, Date.parse would take a date as local time and a number as a year.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
