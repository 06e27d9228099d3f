// cspell:ignore Minh
import { expect, it } from '@jest/globals'
import { TimeZone } from '@outdial/contract'
import { formatTimeZone, timeZones, toTimeZone } from '../src/time-zones.ts'

it('offers modern names, and UTC', () => {
  for (const name of [
    'UTC',
    'Asia/Kolkata',
    'Europe/Kyiv',
    'Asia/Ho_Chi_Minh',
    'America/Argentina/Buenos_Aires',
  ])
    expect(timeZones).toContain(name)
  expect(timeZones).not.toContain('Asia/Calcutta')
  expect(new Set(timeZones).size).toBe(timeZones.length)
})

it('offers only time zones that the API accepts, and every one that Node knows', () => {
  const canonical = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

  expect(timeZones.filter((name) => !TimeZone.safeParse(name).success)).toEqual([])
  const offered = new Set(timeZones.map(canonical))
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !offered.has(canonical(name)))).toEqual([])
})

it('shows the city first', () => {
  expect(formatTimeZone('America/New_York')).toBe('New York (America/New_York)')
  expect(formatTimeZone('America/Argentina/Buenos_Aires')).toBe(
    'Buenos Aires (America/Argentina/Buenos_Aires)',
  )
  expect(formatTimeZone('UTC')).toBe('UTC')
})

it('understands names in another case or with spaces, and leaves others to the API', () => {
  expect(toTimeZone('america/new york')).toBe('America/New_York')
  expect(toTimeZone('Asia/Calcutta')).toBe('Asia/Calcutta')
  expect(toTimeZone('EST')).toBe('EST')
})

it('understands labels, cities, and the zones of the United States', () => {
  for (const text of ['New York (America/New_York)', 'New York', 'new_york', 'Eastern Time'])
    expect(toTimeZone(text)).toBe('America/New_York')
  expect(toTimeZone('buenos aires')).toBe('America/Argentina/Buenos_Aires')
  expect(toTimeZone('Central Time')).toBe('America/Chicago')
  expect(toTimeZone('Mountain Time')).toBe('America/Denver')
  expect(toTimeZone('Pacific Time')).toBe('America/Los_Angeles')
})

it.each(['n/a', 'yes', 'my office', '5'])('finds no time zone for %s', (text) => {
  expect(toTimeZone(text)).toBeUndefined()
})
