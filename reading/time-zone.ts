// cspell:ignore akdt akst
import { olderNames, windowsZones } from './time-zone-names.ts'

/**
 * North American zones with their names and abbreviations. `allYear` is a zone with the same standard time that never changes
 * to daylight time.
 */
const northAmerica = [
  { zone: 'America/Halifax', names: ['atlantic'], abbreviations: [] },
  { zone: 'America/New_York', names: ['eastern'], abbreviations: ['et', 'est', 'edt'] },
  {
    zone: 'America/Chicago',
    names: ['central'],
    abbreviations: ['ct', 'cst', 'cdt'],
    allYear: 'America/Regina',
  },
  {
    zone: 'America/Denver',
    names: ['mountain'],
    abbreviations: ['mt', 'mst', 'mdt'],
    allYear: 'America/Phoenix',
  },
  { zone: 'America/Los_Angeles', names: ['pacific'], abbreviations: ['pt', 'pst', 'pdt'] },
  { zone: 'America/Anchorage', names: ['alaska', 'alaskan'], abbreviations: ['akst', 'akdt'] },
  { zone: 'Pacific/Honolulu', names: ['hawaii', 'hawaiian'], abbreviations: ['hst'] },
]

/** Lists the modern names of the IANA time zones. */
export const listTimeZones = (): string[] => Object.keys(olderNames)

/** Returns the text that shows a time zone in a list of choices, such as "New York (America/New_York)". */
export function formatTimeZone(timeZone: string): string {
  const [city = '', ...regions] = timeZone.split('/').toReversed()
  return regions.length === 0 ? city : `${city.replaceAll('_', ' ')} (${timeZone})`
}

/**
 * Reads a name of a time zone: its IANA name in any case, its city or label, or the name that Windows, HubSpot, or Salesforce
 * has for it, such as "(GMT-05:00) Eastern Time (US & Canada)".
 *
 * A name with "US" or "Canada" in it, such as US/Eastern, means that place for every number: someone in New York can have a
 * phone from Jamaica. Without "US" or "Canada", the number decides what an American name means.
 *
 * @returns the modern IANA name. Undefined for names that `readAmericanTimeZone` reads, and for other text, such as
 *   abbreviations and offsets, which say nothing about daylight saving time.
 */
export function readTimeZone(text: string): string | undefined {
  const name = withoutOffset(text)
  const [, start = '', note = ''] = /^([^()]+)\(([^()]+)\)$/.exec(name) ?? []
  const zone = findZone(name)
  if (zone !== undefined) return zone
  if (note.includes('/')) return findZone(note)
  if (!/^(?:us|usa|canada|us & canada|us and canada)$/i.test(note)) return undefined
  return findZone(start) ?? findByName(toKey(start))?.zone
}

/**
 * Reads an abbreviation or an American name, such as "Eastern" or "Eastern Standard Time". They mean these time zones only in
 * the United States and Canada: in Jamaica and Panama, Eastern Standard Time has no daylight saving time.
 *
 * @param number the country of the contact's number, and the time zones that the number may be in
 */
export function readAmericanTimeZone(
  text: string,
  number: { country: string | undefined; zones: readonly string[] },
): string | undefined {
  if (number.country !== 'US' && number.country !== 'CA') return undefined
  const key = toKey(withoutOffset(text))
  const found = findAmerican(key)
  const isStandard = /^.st$|_standard_/.test(key)
  const allYear = isStandard ? found?.allYear : undefined
  return allYear !== undefined && number.zones.includes(allYear) ? allYear : found?.zone
}

/** Returns true for text that `readAmericanTimeZone` reads for some numbers. */
export const isAmericanTimeZone = (text: string): boolean =>
  findAmerican(toKey(withoutOffset(text))) !== undefined

const findAmerican = (key: string) =>
  northAmerica.find(({ abbreviations }) => abbreviations.includes(key)) ?? findByName(key)

function findByName(key: string) {
  const [, word = ''] = /^([a-z]+)(?:(?:_standard|_daylight)?_time(?:_zone)?)?$/.exec(key) ?? []
  return northAmerica.find(({ names }) => names.includes(word))
}

const withoutOffset = (text: string): string => text.trim().replace(/^\((?:GMT|UTC)[^()]*\)\s*/i, '')

const findZone = (text: string): string | undefined => zonesByKey().get(toKey(text))

let keys: Map<string, string> | undefined

// The map is created when it's first used. Otherwise, every step of a Zap would wait for it while the connector loads, and most
// steps read no time zone.
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

/** Normalizes a name, so that its spellings are equal. HubSpot's `us_slash_eastern` becomes `us/eastern`. */
const toKey = (name: string): string =>
  name.trim().toLowerCase().replaceAll(' ', '_').replaceAll('_slash_', '/')
