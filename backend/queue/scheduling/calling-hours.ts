import type { CallingHours, Weekday } from '@outdial/contract'
import { LRUCache } from 'lru-cache'
import { Temporal } from 'temporal-polyfill'
import { dayMs, minuteMs } from '../../platform/core/durations.ts'
import { timeZonesOfNumber } from './time-zones.ts'

const weekdays: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** How far to look ahead. Every window of calling hours repeats within 7 days, or within 14 if a clock change skips it. */
const maxLookAheadMs = 15 * dayMs

/** The next opening for each combination of calling hours, time zones, and minute. Most calls of a campaign share an entry. */
const openingCache = new LRUCache<string, { at: Date | undefined }>({ max: 5_000 })

/**
 * Returns the first moment at or after `from` that is within the calling hours in all `zones`, to the millisecond.
 * Undefined if the zones' calling hours never overlap.
 *
 * Local time decides. An hour that a clock change skips is never within calling hours, and an hour that it repeats can
 * be within them twice. Hours past midnight belong to the day they start on.
 *
 * @param zones IANA names, at least one
 */
export function nextOpenAt(hours: CallingHours, zones: readonly string[], from: Date): Date | undefined {
  // Calling hours and clock changes begin at full minutes, so each whole minute is either open or closed.
  const minute = new Date(from.getTime() - (from.getTime() % minuteMs))
  const key = [minute.getTime(), hours.start, hours.end, ...hours.days, ...zones].join()
  const opening = openingCache.get(key) ?? { at: findOpening(hours, zones, minute) }
  openingCache.set(key, opening)
  return opening.at?.getTime() === minute.getTime() ? from : opening.at
}

function findOpening(hours: CallingHours, zones: readonly string[], from: Date): Date | undefined {
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

/** Returns the next moment when calling hours can begin in a zone: their start, midnight, or a clock change. */
function nextPossibleOpening(hours: CallingHours, local: Temporal.ZonedDateTime): Temporal.Instant {
  const time = Temporal.PlainTime.from(hours.start)
  const today = local.toPlainDate()
  const openings = [today, today.add({ days: 1 })].flatMap((date) =>
    // An hour that a clock change repeats starts twice.
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

export interface Callee {
  phoneNumber: string
  /** If known, it's used instead of the phone number's time zones. */
  timeZone: string | null
}

/** The hours in which a campaign may place calls. */
export interface CallingRules {
  callingHours: CallingHours
  /** The time zone for phone numbers without a time zone, or with time zones that have no calling hours in common. */
  timeZone: string
}

export interface CallPlan {
  /** The first moment within calling hours. */
  at: Date
  /** The time zones whose local time must be within calling hours. */
  zones: readonly string[]
  /** The source of the time zones. */
  source: 'contact' | 'number' | 'campaign'
}

/** Returns the first moment at or after `from` within the calling hours, and the time zones that decide. */
export function planCall(rules: CallingRules, callee: Callee, from: Date): CallPlan {
  const zones = callee.timeZone === null ? timeZonesOfNumber(callee.phoneNumber) : [callee.timeZone]
  const openAt = zones.length > 0 ? nextOpenAt(rules.callingHours, zones, from) : undefined
  if (openAt !== undefined)
    return { at: openAt, zones, source: callee.timeZone === null ? 'number' : 'contact' }
  const at = nextOpenAt(rules.callingHours, [rules.timeZone], from)
  // If there's no opening within the look-ahead, the call waits until the look-ahead ends and is then rescheduled.
  return {
    at: at ?? new Date(from.getTime() + maxLookAheadMs),
    ...{ zones: [rules.timeZone], source: 'campaign' },
  }
}
