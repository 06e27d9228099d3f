import countries from 'i18n-iso-countries'
import { type CountryCode, getCountries } from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'
import { format, resolveConfig } from 'prettier'
import { toNameKey } from '../reading/name-key.ts'

export const countryNamesFile = new URL('../reading/country-names.ts', import.meta.url)

const languages = ['en', 'de', 'es', 'fr', 'pt', 'it', 'nl']

/** Common names that neither Intl nor i18n-iso-countries has. */
const otherNames: Record<string, string[]> = {
  GB: ['Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'],
  BS: ['Bahamas, The'],
  CD: ['DR Congo', 'DRC'],
  CN: ['PRC'],
  GM: ['Gambia, The'],
  HK: ['Hong Kong'],
  IE: ['Republic of Ireland', 'Eire'],
  IR: ['Iran, Islamic Republic of'],
  MK: ['Macedonia'],
  MO: ['Macau', 'Macao'],
  NL: ['Holland'],
  US: ['America', 'EUA', 'EE. UU.'],
  VA: ['Vatican'],
}

/** Generates the constants with country names. They're generated, because Node's versions have different names. */
export async function generateCountryNames(): Promise<string> {
  const codes = [...new Set([...Object.keys(countries.getAlpha2Codes()), ...getCountries()])].toSorted()
  const namesByCode = new Map(codes.map((code) => [code, collectNames(code)]))
  const countByKey = new Map<string, number>()
  for (const names of namesByCode.values())
    for (const name of new Set(names.map(toNameKey))) countByKey.set(name, (countByKey.get(name) ?? 0) + 1)

  const entries = [...namesByCode].map(([code, names]) => {
    const distinct = names.filter(
      (name, index) =>
        countByKey.get(toNameKey(name)) === 1 &&
        toNameKey(name) !== code.toLowerCase() &&
        names.findIndex((other) => toNameKey(other) === toNameKey(name)) === index,
    )
    return [code, distinct.join('|')]
  })
  const dialCodes = Object.entries(metadata.country_calling_codes).map(([dialCode, list]) => [
    dialCode,
    list.filter((code: string) => code !== '001').join(' '),
  ])
  for (const [areaCode, code] of listAreaCodes()) dialCodes.push([`1${areaCode}`, code])
  const text = `// Written by \`npm run generate\`.

/** The names of each country in ${languages.length} languages, and its code of three letters. Names of several countries are left out. */
export const countryNames: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(entries))}

/** The countries of each dial code, the main one first, and those of area codes that only one of the countries with +1 has. */
export const countriesByDialCode: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(dialCodes.filter(([, list]) => list !== '')))}
`
  const options = await resolveConfig(countryNamesFile)
  return format(text, { ...options, parser: 'typescript' })
}

/** Lists the area codes of each country with +1, except the United States and Canada, whose area codes aren't separate. */
function listAreaCodes(): (readonly [areaCode: string, country: string])[] {
  const areaCodes = Array.from({ length: 800 }, (_, index) => String(200 + index))
  return (metadata.country_calling_codes['1'] ?? []).flatMap((country: CountryCode) => {
    const leadingDigits: unknown = metadata.countries[country]?.[10]
    if (typeof leadingDigits !== 'string') return []
    const pattern = new RegExp(`^(?:${leadingDigits})$`)
    return areaCodes
      .filter((areaCode) => pattern.test(areaCode))
      .map((areaCode) => [areaCode, country] as const)
  })
}

function collectNames(code: string): string[] {
  const names = languages.flatMap(
    (language) => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code) ?? [],
  )
  // Adds other common names in English only. With those of all languages, the upload to Zapier would be too large.
  const english = [countries.getNames('en', { select: 'all' })[code] ?? []].flat()
  return [...names, ...english, ...(otherNames[code] ?? []), countries.alpha2ToAlpha3(code) ?? []]
    .flat()
    .map((name) => name.replaceAll('\u2019', "'"))
}
