import { getCountries } from 'libphonenumber-js/max'

const names = new Intl.DisplayNames('en', { type: 'region' })

/** Returns the English name of a country, or its code if it has no name. */
export const nameCountry = (code: string): string => names.of(code) ?? code

/** ISO 3166-1 alpha-2 codes of the countries that have phone numbers. */
export const countryCodes: readonly string[] = getCountries()
