import { TimestampInput } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import * as z from 'zod'

const LocalTime = z.iso.datetime({ local: true })

/**
 * Reads a time that somebody asked for: ISO 8601 with an offset, or as the clocks of `timeZone` show it. A time that
 * a clock change skips is an hour later, of one that it repeats the first is meant. Undefined where it is no time.
 */
export function readAskedTime(text: string, timeZone: string): Date | undefined {
  const written = withSeconds(text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T'))
  if (TimestampInput.safeParse(written).success) return new Date(written)
  if (!LocalTime.safeParse(written).success || written.endsWith('Z')) return undefined
  return new Date(Temporal.PlainDateTime.from(written).toZonedDateTime(timeZone).epochMilliseconds)
}

/** The contract's timestamps have seconds before an offset; people ask for half past three. */
const withSeconds = (text: string) => text.replace(/^(.{10}T\d{2}:\d{2})(?=$|[Z+-])/, '$1:00')
