import { Temporal } from 'temporal-polyfill'
import { invalidField } from '../core/errors.ts'
import { parseRequestedTime } from './asked-time.ts'

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
