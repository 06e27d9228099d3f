// cspell:ignore Minh
import { expect, it } from '@jest/globals'
import { TimeZone } from '@outdial/contract'
import {
  formatTimeZone,
  isAmericanTimeZone,
  listTimeZones,
  readAmericanTimeZone,
  readTimeZone,
} from '../../reading/time-zone.ts'
import { timeZoneCases, zonesOfPlaces } from '../support/time-zone-cases.ts'

it.each(timeZoneCases)(
  'for a phone number in $place, reads $text as $timeZone',
  ({ text, place, timeZone }) => {
    expect(readTimeZone(text) ?? readAmericanTimeZone(text, zonesOfPlaces[place])).toBe(timeZone)
  },
)

it("doesn't read an American time zone name or abbreviation without the phone number on which its meaning depends", () => {
  for (const { text } of timeZoneCases.filter(({ dependsOnNumber }) => dependsOnNumber)) {
    expect(readTimeZone(text)).toBeUndefined()
    expect(isAmericanTimeZone(text)).toBe(true)
  }
})

it('reads each listed time zone from its name, its label, and its city', () => {
  for (const timeZone of listTimeZones()) {
    const city = formatTimeZone(timeZone).replace(/ \(.*/, '')
    for (const text of [timeZone, timeZone.toUpperCase(), formatTimeZone(timeZone), city])
      expect(readTimeZone(text)).toBe(timeZone)
  }
})

it('lists UTC first, and modern names such as Asia/Kolkata instead of Asia/Calcutta', () => {
  const timeZones = listTimeZones()
  expect(timeZones[0]).toBe('UTC')
  expect(timeZones).toEqual(expect.arrayContaining(['Asia/Kolkata', 'Europe/Kyiv', 'Asia/Ho_Chi_Minh']))
  expect(timeZones).not.toContain('Asia/Calcutta')
  expect(new Set(timeZones).size).toBe(timeZones.length)
})

it('lists only time zones that the API accepts, and every one that Node knows', () => {
  const canonical = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

  expect(listTimeZones().filter((name) => !TimeZone.safeParse(name).success)).toEqual([])
  const listed = new Set(listTimeZones().map(canonical))
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !listed.has(canonical(name)))).toEqual([])
})

it('shows the city of a time zone before its full name', () => {
  expect(formatTimeZone('America/New_York')).toBe('New York (America/New_York)')
  expect(formatTimeZone('America/Argentina/Buenos_Aires')).toBe(
    'Buenos Aires (America/Argentina/Buenos_Aires)',
  )
  expect(formatTimeZone('UTC')).toBe('UTC')
})
