import type { Random } from '../core/clock.ts'

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Milliseconds to wait after the first failed try, the second, and so on; after the last comes none. */
export const retrySchedule = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]

const maxRetryAfterMs = 24 * hours

/**
 * Milliseconds until the next try after `tries` failed ones, or undefined where there is none. Jitter makes it up
 * to a fifth longer. A receiver's `Retry-After` (milliseconds) can only put it off, by a day at most: it says when
 * the receiver is ready at the earliest (RFC 9110, 10.2.3), and must not hurry or outlast the schedule.
 */
export function retryDelay(failedAttempts: number, random: Random, retryAfterMs = 0): number | undefined {
  const scheduled = retrySchedule[failedAttempts - 1]
  if (scheduled === undefined) return undefined
  const jittered = Math.round(scheduled * (1 + random() / 5))
  return Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs))
}

/** The header `Retry-After`, seconds or an HTTP-date, in milliseconds from `now`. Undefined where it says nothing. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * seconds
  // Without its zone a date would be read as local time, and a bare number as a year.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
