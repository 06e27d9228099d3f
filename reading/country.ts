import { countriesByDialCode, countryNames } from './country-names.ts'
import { toNameKey } from './name-key.ts'

export interface ReadCountry {
  /** The country's ISO 3166-1 alpha-2 code. */
  code: string
  /** How the country was written. `dial_code` names a group of countries, of which `code` is the main one. */
  as: 'code' | 'name' | 'dial_code'
}

/**
 * Reads a country: its code of two or three letters, its name in one of seven languages, its dial code, or two of these
 * together, such as "India (+91)" and "Jamaica (+1 876)".
 *
 * @returns undefined for other text, and for names of more than one country, such as "Congo"
 */
export function readCountry(text: string): ReadCountry | undefined {
  const whole = readPart(text)
  if (whole !== undefined) return whole
  const parts = text.split(/[()/,]|\s[-–—]\s|\s(?=\+\d)/).filter((part) => part.trim() !== '')
  const [first, second] = parts.map(readPart)
  if (parts.length !== 2 || first === undefined || second === undefined) return undefined
  return chooseCountry([first, second])
}

/**
 * Returns the country that several texts name. A dial code agrees with each of its countries. With an area code, it agrees only
 * with the country of that area.
 *
 * @returns undefined if the texts name different countries
 */
export function chooseCountry(countries: readonly ReadCountry[]): ReadCountry | undefined {
  const byCertainty = countries.toSorted(
    (a, b) => Number(a.as === 'dial_code') - Number(b.as === 'dial_code'),
  )
  return byCertainty.find((country) => countries.every((other) => agrees(other, country)))
}

const agrees = (other: ReadCountry, country: ReadCountry): boolean =>
  other.code === country.code ||
  (other.as === 'dial_code' && mainCountryOf(dialCodeOf(country.code)) === other.code)

function readPart(text: string): ReadCountry | undefined {
  const name = text.trim()
  if (/^(?:\+|00)?(?:\d{1,3}|1[\s-]?(?:\d{3}|\(\d{3}\)))(?:\.0+)?$/.test(name)) {
    const code = mainCountryOf(
      name
        .replace(/^(?:\+|00)/, '')
        .replace(/\.0+$/, '')
        .replace(/\D/g, ''),
    )
    return code === undefined ? undefined : { code, as: 'dial_code' }
  }
  const key = toNameKey(name)
  // "N/A" isn't NA, the code of Namibia.
  const isCode = /^(?:[a-z]{2,3}|u\.(?:[a-z]\.?){1,2})$/i.test(name)
  const isShortened = key.length <= 3 && !isCode && /[^\p{L}\p{M}]/u.test(name)
  const code = isShortened ? undefined : byName().get(key)
  return code === undefined ? undefined : { code, as: isCode ? 'code' : 'name' }
}

const mainCountryOf = (dialCode: string | undefined): string | undefined =>
  byDialCode().get(dialCode ?? '')?.[0]

const dialCodeOf = (country: string): string | undefined =>
  [...byDialCode()].find(([, countries]) => countries.includes(country))?.[0]

let dialCodes: Map<string, string[]> | undefined
let names: Map<string, string> | undefined

// The maps are created when they're first used. Otherwise, every step of a Zap would wait for them while the connector loads,
// and most steps read no country.
const byDialCode = () =>
  (dialCodes ??= new Map(
    Object.entries(countriesByDialCode).map(([dialCode, countries]) => [dialCode, countries.split(' ')]),
  ))

const byName = () =>
  (names ??= new Map(
    Object.entries(countryNames).flatMap(([code, list]) =>
      [code, ...list.split('|')].map((name) => [toNameKey(name), code] as const),
    ),
  ))
