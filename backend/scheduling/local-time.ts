import { TimestampInput } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import * as z from 'zod'
import { invalidField } from '../core/errors.ts'

/** A moment as a clock in that zone shows it, for example `Thursday, May 7, 2026 at 9:30 AM (America/New_York)`. */
export function formatLocalTime(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short', timeZone })
  // ICU sets a narrow space before AM; agents read plain ones.
  return `${format.format(at).replaceAll('\u202f', ' ')} (${timeZone})`
}

const LocalDateTime = z.iso.datetime({ local: true })

/**
 * Reads a time that somebody asked for: ISO 8601 with an offset, or as the clocks of `timeZone` show it. A time that
 * a clock change skips is an hour later, of one that it repeats the first is meant. Undefined where it is no time.
 */
export function parseRequestedTime(text: string, timeZone: string): Date | undefined {
  const normalized = withSeconds(text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T'))
  if (TimestampInput.safeParse(normalized).success) return new Date(normalized)
  if (!LocalDateTime.safeParse(normalized).success || normalized.endsWith('Z')) return undefined
  return new Date(Temporal.PlainDateTime.from(normalized).toZonedDateTime(timeZone).epochMilliseconds)
}

/** The contract's timestamps have seconds before an offset; people ask for half past three. */
const withSeconds = (text: string) => text.replace(/^(.{10}T\d{2}:\d{2})(?=$|[Z+-])/, '$1:00')

/**
 * The moment that a person means who types a date and a time by the clocks of `timeZone`; with an offset it is that
 * moment. Of a time that the clocks show twice the first is meant; one that they skip is none.
 *
 * @throws {ApiError} validation_failed about `field`
 */
export function parseLocalTimeField(field: string, text: string, timeZone: string): Date {
  const at = parseRequestedTime(text, timeZone)
  if (at === undefined) {
    throw invalidField(field, 'invalid_datetime', 'Write a date and a time, such as 2026-12-03T15:30.')
  }
  if (isSkipped(text, at, timeZone)) {
    const message = `The clocks of ${timeZone} skip this time on that day: choose one before or after it.`
    throw invalidField(field, 'skipped_time', message)
  }
  return at
}

/** Whether the clocks never show what was typed: read back, it is another time. */
function isSkipped(text: string, at: Date, timeZone: string): boolean {
  const typed = text.trim().replace(' ', 'T')
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(typed)) return false
  const shown = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  return !shown.toPlainDateTime().equals(Temporal.PlainDateTime.from(typed))
}

/**
 * Checks the time that a call is scheduled for. A time in the past counts as none: the automation ran late.
 *
 * @throws {ApiError} validation_failed about `scheduled_at`
 */
export function checkScheduledAt(at: Date | null, now: Date): Date | null {
  if (at === null || at <= now) return null
  if (at <= maxScheduledAt(now)) return at
  throw invalidField('scheduled_at', 'too_far_ahead', 'scheduled_at must be at most a year ahead.')
}

/** The latest moment that a call may be planned for: a year ahead. */
export function maxScheduledAt(now: Date): Date {
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + 1)
  return latest
}
