import { describe, expect, it } from '@jest/globals'
import { chooseCountry, readCountry } from '../../reading/country.ts'
import { countryCases, unreadableCountries } from './cases/countries.ts'

describe('a country', () => {
  it.each(countryCases)('is read from %s', (text, code, as) => {
    expect(readCountry(text)).toEqual({ code, as })
  })

  it.each(unreadableCountries)("isn't read from %p", (text) => {
    expect(readCountry(text)).toBeUndefined()
  })
})

describe('the country chosen from several texts', () => {
  const choose = (...texts: string[]) => chooseCountry(texts.flatMap((text) => readCountry(text) ?? []))?.code

  it.each([
    ['CA', ['1', 'Canada']],
    ['IN', ['India', 'IN', '+91']],
    ['US', ['+1', '1']],
    ['JM', ['+1', '+1 876']],
    ['JM', ['1876', 'Jamaica', '1']],
  ])('is %s for %j, because the texts agree', (code, texts) => {
    expect(choose(...texts)).toBe(code)
  })

  it.each([
    [['India', 'MX']],
    [['Canada', '+44']],
    [['US', 'CA']],
    [['44', '91']],
    [['US', '+1 876']],
    [['+1 876', '+1 242']],
  ])('is undefined for %j, because the texts disagree', (texts) => {
    expect(choose(...texts)).toBeUndefined()
  })
})
