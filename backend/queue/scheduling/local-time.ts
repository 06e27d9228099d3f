import { TimestampInput } from '@outdial/contract'
import { isSkipped, readDateTime, toMoment } from '@outdial/reading'
import { LRUCache } from 'lru-cache'
import { Temporal } from 'temporal-polyfill'
import * as z from 'zod'
import { minuteMs } from '../../platform/core/durations.ts'
import { fieldError } from '../../platform/core/errors.ts'
import { invalidField } from '../../platform/core/form-errors.ts'

/** Formats a moment in local time, for example `Thursday, May 7, 2026 at 9:30 AM (America/New_York)`. */
export function formatLocalTime(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short', timeZone })
  // ICU puts a narrow no-break space before AM, which language models can misread.
  return `${format.format(at).replaceAll('\u202f', ' ')} (${timeZone})`
}

/** Returns local time with its offset, for example `2026-05-04T10:02:00-05:00`. */
export const toLocalIsoTime = (at: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: 'second', timeZoneName: 'never' })

/** Local dates by time zone and minute. Most calls that the dialer claims together share an entry. */
const localDates = new LRUCache<string, string>({ max: 5_000 })

/** Returns the local date as YYYY-MM-DD. */
export function toLocalDate(at: Date, timeZone: string): string {
  // Days begin at full minutes, so all times in a minute have the same date.
  const minute = Math.floor(at.getTime() / minuteMs)
  const key = `${minute} ${timeZone}`
  const instant = Temporal.Instant.fromEpochMilliseconds(minute * minuteMs)
  const date = localDates.get(key) ?? instant.toZonedDateTimeISO(timeZone).toPlainDate().toString()
  localDates.set(key, date)
  return date
}

/** The maximum length of a time. Longer text isn't parsed. */
const maxTimeLength = 64

const LocalDateTime = z.iso.datetime({ local: true })

/**
 * Parses a requested time: ISO 8601 with an offset, or local time in `timeZone`. A local time that a clock change skips
 * becomes an hour later. If a local time occurs twice, the first is used. Returns undefined for anything else.
 */
export function parseRequestedTime(text: string, timeZone: string): Date | undefined {
  if (text.length > maxTimeLength) return undefined
  const normalized = withSeconds(text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T'))
  if (TimestampInput.safeParse(normalized).success) return new Date(normalized)
  if (!LocalDateTime.safeParse(normalized).success || normalized.endsWith('Z')) return undefined
  return new Date(Temporal.PlainDateTime.from(normalized).toZonedDateTime(timeZone).epochMilliseconds)
}

/** Adds the seconds that `TimestampInput` requires and people leave out. */
const withSeconds = (text: string) => text.replace(/^(.{10}T\d{2}:\d{2})(?=$|[Z+-])/, '$1:00')

/**
 * Parses a date and time that a person typed, in local time unless it has a time zone. If a local time occurs twice, the
 * first is used. A local time that a clock change skips is an error.
 *
 * @throws {ApiError} validation_failed for `field`
 */
export function parseLocalTimeField(field: string, text: string, timeZone: string): Date {
  const typed = readDateTime(text)
  if (typed?.hasTime !== true) {
    throw invalidField(
      field,
      'invalid_datetime',
      "This isn't a valid date and time. Enter both, for example 2026-12-03 15:30.",
    )
  }
  if (isSkipped(typed, timeZone)) {
    const message = `Clocks in ${timeZone} skip this time on that day. Choose an earlier or later time.`
    throw invalidField(field, 'skipped_time', message)
  }
  return new Date(toMoment(typed, timeZone))
}

/**
 * Parses a date that a person typed, with or without a time of day. A date alone is the start of that day.
 *
 * @throws {ApiError} validation_failed for `field`
 */
export function parseLocalDateField(field: string, text: string, timeZone: string): Date {
  const typed = readDateTime(text)
  if (typed?.hasTime === false) return new Date(toMoment(typed, timeZone))
  if (typed === undefined) {
    const message = /^(?:19|[2-9]\d)\d\d-\d\d-\d\d$/.test(text.trim())
      ? "This date doesn't exist. Check the month and the day."
      : "This isn't a valid date. Enter it as year, month, and day, for example 2026-12-03."
    throw invalidField(field, 'invalid_datetime', message)
  }
  return parseLocalTimeField(field, text, timeZone)
}

/**
 * Returns the time that a call is scheduled for. Null means as soon as possible: no time was requested, or the requested time
 * has passed, for example because the automation ran late.
 *
 * @throws {ApiError} validation_failed for `scheduled_at` if the time is more than a year ahead
 */
export function checkScheduledAt(requestedAt: Date | null, now: Date): Date | null {
  if (requestedAt === null || requestedAt <= now) return null
  if (!isTooFarAhead(requestedAt, now)) return requestedAt
  throw fieldError('scheduled_at', 'too_far_ahead')
}

/** Returns true for a time more than a year ahead. Calls can't be scheduled that far ahead. */
export function isTooFarAhead(at: Date, now: Date): boolean {
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + 1)
  return at > latest
}
