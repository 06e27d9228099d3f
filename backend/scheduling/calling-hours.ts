import type { CallingHours, Weekday } from '@outdial/contract'
import { Temporal } from 'temporal-polyfill'
import { timeZonesOfNumber } from './time-zones.ts'

const weekdays: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Every weekly pattern comes round within seven days; a window that a clock change swallows, within fourteen. */
const maxLookAheadMs = 15 * 24 * 3_600_000

/**
 * The first moment at or after `from` at which the clocks of all `zones` show calling hours, to the
 * millisecond. Undefined where the zones have no common hour.
 *
 * The wall clock decides: an hour that a clock change skips is no window, and an hour that it repeats is
 * one twice. Hours that run over midnight belong to the day they start on.
 *
 * @param zones IANA names, at least one
 */
export function nextOpenAt(hours: CallingHours, zones: readonly string[], from: Date): Date | undefined {
  const end = from.getTime() + maxLookAheadMs
  let instant = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  while (instant.epochMilliseconds <= end) {
    const closedZone = zones.find((zone) => !isOpen(hours, instant.toZonedDateTimeISO(zone)))
    if (closedZone === undefined) return new Date(instant.epochMilliseconds)
    instant = nextPossibleOpening(hours, instant.toZonedDateTimeISO(closedZone))
  }
  return undefined
}

function isOpen(hours: CallingHours, local: Temporal.ZonedDateTime): boolean {
  const minute = local.hour * 60 + local.minute
  const start = toMinutes(hours.start)
  const end = toMinutes(hours.end)
  if (start < end) return opensOn(hours, local.dayOfWeek) && minute >= start && minute < end
  return (
    (opensOn(hours, local.dayOfWeek) && minute >= start) ||
    (opensOn(hours, local.dayOfWeek === 1 ? 7 : local.dayOfWeek - 1) && minute < end)
  )
}

const opensOn = (hours: CallingHours, dayOfWeek: number) =>
  hours.days.includes(weekdays[dayOfWeek - 1] ?? 'mon')

const toMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** The next moment at which a closed zone may open: a start, a midnight, or a clock change. */
function nextPossibleOpening(hours: CallingHours, local: Temporal.ZonedDateTime): Temporal.Instant {
  const time = Temporal.PlainTime.from(hours.start)
  const today = local.toPlainDate()
  const openings = [today, today.add({ days: 1 })].flatMap((date) =>
    // A repeated hour starts twice.
    (['earlier', 'later'] as const).flatMap((disambiguation) => [
      toInstant(date, time, local.timeZoneId, disambiguation),
      toInstant(date, midnight, local.timeZoneId, disambiguation),
    ]),
  )
  const clockChange = local.getTimeZoneTransition('next')
  const candidates = clockChange === null ? openings : [...openings, clockChange.toInstant()]
  const now = local.epochMilliseconds
  return candidates
    .filter((candidate) => candidate.epochMilliseconds > now)
    .reduce((first, other) => (other.epochMilliseconds < first.epochMilliseconds ? other : first))
}

const midnight = new Temporal.PlainTime()

const toInstant = (
  date: Temporal.PlainDate,
  time: Temporal.PlainTime,
  zone: string,
  disambiguation: 'earlier' | 'later',
) => date.toPlainDateTime(time).toZonedDateTime(zone, { disambiguation }).toInstant()

/** Who is called: the own time zone, if it is known, wins over what the number tells. */
export interface Callee {
  phoneNumber: string
  timeZone: string | null
}

/** When and by whose clock a campaign may call. */
export interface CallingRules {
  hours: CallingHours
  /** The campaign's: for numbers that tell no place, or places that have no common hour. */
  timeZone: string
}

/** The first moment at or after `from` at which the contact may be called, in the contact's local time. */
export async function nextCallableAt(rules: CallingRules, callee: Callee, from: Date): Promise<Date> {
  const zones = callee.timeZone === null ? await timeZonesOfNumber(callee.phoneNumber) : [callee.timeZone]
  const openAt = zones.length > 0 ? nextOpenAt(rules.hours, zones, from) : undefined
  // The last resort lies beyond every horizon, and is planned anew when it has come.
  return openAt ?? nextOpenAt(rules.hours, [rules.timeZone], from) ?? new Date(from.getTime() + 15 * dayMs)
}

const dayMs = 24 * 3_600_000
