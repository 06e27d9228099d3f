import { TimeZone } from '@outdial/contract'
import { timezones } from 'libphonenumber-geo-carrier'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

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

/** Where a contact is: its own time zone, else its number's where it lies in one alone. Undefined: not known. */
export async function timeZoneOfContact(contact: {
  time_zone: string | null
  phone_number: string
}): Promise<string | undefined> {
  if (contact.time_zone !== null) return contact.time_zone
  const zones = await timeZonesOfNumber(contact.phone_number)
  return zones.length === 1 ? zones[0] : undefined
}
