import { type CallingHours, TimeZone } from '@outdial/contract'
import { timezones } from 'libphonenumber-geo-carrier'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { nextOpenAt } from './calling-hours.ts'

/** Kinds of numbers that lie somewhere. Toll-free, satellite and personal ones say nothing about the place. */
const geographicTypes = new Set(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE'])

/** A look-up reads and parses the whole prefix file: 3 ms. */
const zoneCache = new Map<string, Promise<readonly string[]>>()
const maxCachedNumbers = 20_000

/** The zones that a number may lie in, by Google's prefix data. Empty where it tells nothing. */
export function timeZonesOfNumber(phoneNumber: string): Promise<readonly string[]> {
  const cached = zoneCache.get(phoneNumber)
  if (cached !== undefined) return cached
  const zones = lookUpTimeZones(phoneNumber)
  zoneCache.set(phoneNumber, zones)
  const [oldest] = zoneCache.keys()
  if (zoneCache.size > maxCachedNumbers && oldest !== undefined) zoneCache.delete(oldest)
  return zones
}

async function lookUpTimeZones(phoneNumber: string): Promise<readonly string[]> {
  const parsed = parsePhoneNumberFromString(phoneNumber)
  if (parsed === undefined || !geographicTypes.has(parsed.getType() ?? '')) return []
  const zones = (await timezones(parsed)) ?? []
  return zones.filter((zone) => TimeZone.safeParse(zone).success)
}

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
