// cspell:ignore akdt akst
import { olderNames, windowsZones } from './time-zone-names.ts'

/** Time zones with their American names and abbreviations. */
const northAmerica = [
  { zone: 'America/New_York', name: 'eastern', abbreviations: ['et', 'est', 'edt'] },
  { zone: 'America/Chicago', name: 'central', abbreviations: ['ct', 'cst', 'cdt'] },
  { zone: 'America/Denver', name: 'mountain', abbreviations: ['mt', 'mst', 'mdt'] },
  { zone: 'America/Los_Angeles', name: 'pacific', abbreviations: ['pt', 'pst', 'pdt'] },
  { zone: 'America/Anchorage', name: 'alaska', abbreviations: ['akst', 'akdt'] },
  { zone: 'Pacific/Honolulu', name: 'hawaii', abbreviations: ['hst'] },
]

/** Lists the modern names of the IANA time zones. */
export const listTimeZones = (): string[] => Object.keys(olderNames)

/** Returns the text to choose a time zone by: "New York (America/New_York)". */
export function formatTimeZone(timeZone: string): string {
  const [city = '', ...regions] = timeZone.split('/').toReversed()
  return regions.length === 0 ? city : `${city.replaceAll('_', ' ')} (${timeZone})`
}

/**
 * Reads a name of a time zone: its IANA name in any case, its city or label, the name that Windows, HubSpot, or Salesforce has for
 * it, or an American name, such as "(GMT-05:00) Eastern Time (US & Canada)".
 *
 * @returns the modern IANA name, or undefined for other text, such as abbreviations and offsets, which have no daylight saving time
 */
export function readTimeZone(text: string): string | undefined {
  const name = withoutOffset(text)
  const [, start = '', note = ''] = /^([^()]+)\(([^()]+)\)$/.exec(name) ?? []
  const zone = findZone(name)
  if (zone !== undefined) return zone
  if (note.includes('/')) return findZone(note)
  return /^(?:us|usa|us & canada|us and canada)$/i.test(note) ? findZone(start) : undefined
}

/**
 * Reads an abbreviation, or a word such as "Eastern", which mean a time zone only in the United States and Canada.
 *
 * @param number is the contact's, with the country and the time zones that it may be in
 */
export function readZoneAbbreviation(
  text: string,
  number: { country: string | undefined; zones: readonly string[] },
): string | undefined {
  if (number.country !== 'US' && number.country !== 'CA') return undefined
  const key = toKey(withoutOffset(text))
  // Arizona is in Mountain Standard Time all year.
  if (key === 'mst' && number.zones.includes('America/Phoenix')) return 'America/Phoenix'
  return findAbbreviation(key)
}

/** Returns true for text that `readZoneAbbreviation` reads for some numbers. */
export const isZoneAbbreviation = (text: string): boolean =>
  findAbbreviation(toKey(withoutOffset(text))) !== undefined

const findAbbreviation = (key: string): string | undefined =>
  northAmerica.find(({ name, abbreviations }) => name === key || abbreviations.includes(key))?.zone

const withoutOffset = (text: string): string => text.trim().replace(/^\((?:GMT|UTC)[^()]*\)\s*/i, '')

function findZone(text: string): string | undefined {
  const key = toKey(text)
  const zone = zonesByKey().get(key)
  if (zone !== undefined) return zone
  const [, americanName] = /^([a-z]+)(?:_standard|_daylight)?_time(?:_zone)?$/.exec(key) ?? []
  return northAmerica.find(({ name }) => name === americanName)?.zone
}

let keys: Map<string, string> | undefined

// Made when first used: most steps of a Zap read no time zone, and all wait for what is made while loading.
const zonesByKey = () =>
  (keys ??= new Map(
    [
      ...Object.entries(windowsZones),
      ...Object.entries(olderNames).flatMap(([zone, others]) => {
        const names = [zone.split('/').at(-1) ?? '', zone, ...others.split(' ').filter(Boolean)]
        return names.map((name) => [name, zone] as const)
      }),
    ].map(([name, zone]) => [toKey(name), zone]),
  ))

/** Writes HubSpot's `us_slash_eastern` as `us/eastern`. */
const toKey = (name: string): string =>
  name.trim().toLowerCase().replaceAll(' ', '_').replaceAll('_slash_', '/')
