/** Other spellings and three-letter codes that CRMs often use. */
const aliases = {
  'U.S.': 'US',
  'U.S.A.': 'US',
  'United States of America': 'US',
  USA: 'US',
  UK: 'GB',
  'Great Britain': 'GB',
  England: 'GB',
  GBR: 'GB',
  'Hong Kong': 'HK',
  Macau: 'MO',
  CAN: 'CA',
  AUS: 'AU',
  NZL: 'NZ',
  IRL: 'IE',
  DEU: 'DE',
  FRA: 'FR',
  ESP: 'ES',
  ITA: 'IT',
  NLD: 'NL',
  MEX: 'MX',
  BRA: 'BR',
  IND: 'IN',
}

/** The languages in which country names are understood. English comes last, so its names win. */
const languages = ['nl', 'it', 'pt', 'fr', 'es', 'de', 'en']

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

let codes: Map<string, string> | undefined

/**
 * Returns the two-letter code of a country: its own code, a usual abbreviation, or its name.
 *
 * @returns undefined for other text
 */
export function toCountryCode(name: string): string | undefined {
  codes ??= collectCodes()
  return codes.get(toKey(name)) ?? (/^[a-z]{2}$/i.test(name) ? name.toUpperCase() : undefined)
}

function collectCodes(): Map<string, string> {
  const regions = letters.flatMap((first) => letters.map((second) => `${first}${second}`)).filter(isCurrent)
  const names = languages.flatMap((language) => {
    const displayNames = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    return regions.map((region) => [displayNames.of(region), region] as const)
  })
  return new Map(
    [...names, ...Object.entries(aliases)].flatMap(([name, code]) => (name ? [[toKey(name), code]] : [])),
  )
}

/** Returns false for an old code of a country, such as UK. It would have the same name as the current one. */
const isCurrent = (region: string) => Intl.getCanonicalLocales(`und-${region}`).includes(`und-${region}`)

const toKey = (name: string) => name.toLowerCase()
