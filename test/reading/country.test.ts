// cspell:ignore España Espana Maharashtra Türkiye USAA d'Ivoire Ivoire
import { describe, expect, it } from '@jest/globals'
import { chooseCountry, readCountry } from '../../reading/country.ts'

describe('a country', () => {
  it.each([
    ['US', 'US', 'code'],
    ['us', 'US', 'code'],
    ['USA', 'US', 'code'],
    ['U.S.', 'US', 'code'],
    ['U.S.A.', 'US', 'code'],
    ['UK', 'GB', 'code'],
    ['UAE', 'AE', 'code'],
    ['IND', 'IN', 'code'],
    ['POL', 'PL', 'code'],
    ['SWE', 'SE', 'code'],
    ['DEU', 'DE', 'code'],
    ['XK', 'XK', 'code'],
    ['United States', 'US', 'name'],
    ['United States of America', 'US', 'name'],
    ['united kingdom', 'GB', 'name'],
    ['Great Britain', 'GB', 'name'],
    ['England', 'GB', 'name'],
    ['The Netherlands', 'NL', 'name'],
    ['Czech Republic', 'CZ', 'name'],
    ['Russian Federation', 'RU', 'name'],
    ['Russia', 'RU', 'name'],
    ['Hong Kong', 'HK', 'name'],
    ['Macau', 'MO', 'name'],
    ['Deutschland', 'DE', 'name'],
    ['España', 'ES', 'name'],
    ['Espana', 'ES', 'name'],
    ['Korea, Republic of', 'KR', 'name'],
    ["Cote d'Ivoire", 'CI', 'name'],
    ['Türkiye', 'TR', 'name'],
    ['Congo (Kinshasa)', 'CD', 'name'],
    ['Irã', 'IR', 'name'],
    ['Holland', 'NL', 'name'],
    ['Bahamas, The', 'BS', 'name'],
    ['91', 'IN', 'dial_code'],
    ['+52', 'MX', 'dial_code'],
    ['0091', 'IN', 'dial_code'],
    ['44.0', 'GB', 'dial_code'],
    ['1', 'US', 'dial_code'],
    ['United States (US)', 'US', 'name'],
    ['US - United States', 'US', 'code'],
    ['India (+91)', 'IN', 'name'],
    ['IN +91', 'IN', 'code'],
    ['Canada (+1)', 'CA', 'name'],
  ] as const)('is read from %s', (text, code, as) => {
    expect(readCountry(text)).toEqual({ code, as })
  })

  it.each([
    ...['', 'n/a', 'N.A.', '-', 'yes', 'Texas', 'Maharashtra', 'qq', 'Congo', '999', '+', 'USAA'],
    ...['Canada (+44)', 'India, Mexico', 'US, CA, MX', '2025550100'],
  ])("isn't read from %p", (text) => {
    expect(readCountry(text)).toBeUndefined()
  })
})

describe('the country of several texts', () => {
  const choose = (...texts: string[]) => chooseCountry(texts.flatMap((text) => readCountry(text) ?? []))?.code

  it.each([
    ['CA', ['1', 'Canada']],
    ['IN', ['India', 'IN', '+91']],
    ['US', ['+1', '1']],
  ])('is %s for %j, which agree', (code, texts) => {
    expect(choose(...texts)).toBe(code)
  })

  it.each([[['India', 'MX']], [['Canada', '+44']], [['US', 'CA']], [['44', '91']]])(
    'is none for %j, which differ',
    (texts) => {
      expect(choose(...texts)).toBeUndefined()
    },
  )
})
