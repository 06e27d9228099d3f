import { TimeZone } from '@outdial/contract'
import { timezones } from 'libphonenumber-geo-carrier'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { LRUCache } from 'lru-cache'

/** Toll-free, satellite, and personal numbers don't belong to a place. */
const geographicTypes = new Set(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE'])

/** Time zones by phone number. A lookup reads and parses the whole prefix file, which takes 3 ms. */
const zoneCache = new LRUCache<string, Promise<readonly string[]>>({ max: 20_000 })

/** Returns the time zones that a number may be in, according to Google's prefix data. Empty if unknown. */
export function timeZonesOfNumber(phoneNumber: string): Promise<readonly string[]> {
  const cached = zoneCache.get(phoneNumber)
  if (cached !== undefined) return cached
  const zones = lookUpTimeZones(phoneNumber)
  zoneCache.set(phoneNumber, zones)
  return zones
}

async function lookUpTimeZones(phoneNumber: string): Promise<readonly string[]> {
  const parsed = parsePhoneNumberFromString(phoneNumber)
  if (parsed === undefined || !geographicTypes.has(parsed.getType() ?? '')) return []
  const zones = (await timezones(parsed)) ?? []
  return zones.filter((zone) => TimeZone.safeParse(zone).success)
}

/** Returns the contact's time zone, or its phone number's if that has only one. Undefined if unknown. */
export async function timeZoneOfContact(contact: {
  time_zone: string | null
  phone_number: string
}): Promise<string | undefined> {
  if (contact.time_zone !== null) return contact.time_zone
  const zones = await timeZonesOfNumber(contact.phone_number)
  return zones.length === 1 ? zones[0] : undefined
}
