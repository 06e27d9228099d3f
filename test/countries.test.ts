// cspell:ignore España
import { expect, it } from '@jest/globals'
import { toCountryCode } from '../src/countries.ts'

it.each([
  ['US', 'US'],
  ['us', 'US'],
  ['USA', 'US'],
  ['U.S.', 'US'],
  ['United States', 'US'],
  ['united kingdom', 'GB'],
  ['UK', 'GB'],
  ['France', 'FR'],
  ['Russia', 'RU'],
  ['Hong Kong', 'HK'],
  ['Deutschland', 'DE'],
  ['España', 'ES'],
  ['U.S.A.', 'US'],
  ['United States of America', 'US'],
  ['Great Britain', 'GB'],
  ['England', 'GB'],
  ['GBR', 'GB'],
  ['Macau', 'MO'],
  ['CAN', 'CA'],
  ['AUS', 'AU'],
  ['NZL', 'NZ'],
  ['IRL', 'IE'],
  ['DEU', 'DE'],
  ['FRA', 'FR'],
  ['ESP', 'ES'],
  ['ITA', 'IT'],
  ['NLD', 'NL'],
  ['MEX', 'MX'],
  ['BRA', 'BR'],
  ['IND', 'IN'],
])('finds the code of %s', (name, code) => {
  expect(toCountryCode(name)).toBe(code)
})

it.each(['n/a', 'Texas', '1', 'yes'])('finds no code for %s', (name) => {
  expect(toCountryCode(name)).toBeUndefined()
})

it('leaves other codes of two letters to the API', () => {
  expect(toCountryCode('qq')).toBe('QQ')
})
