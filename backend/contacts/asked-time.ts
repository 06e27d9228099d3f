import { TimestampInput } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import * as z from 'zod'

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
