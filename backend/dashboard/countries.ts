import { getCountries } from 'libphonenumber-js/max'

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** Countries with phone numbers, by name, for lists to choose from. */
export const countries: readonly { value: string; label: string }[] = getCountries()
  .map((code) => ({ value: code, label: countryNames.of(code) ?? code }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'))
