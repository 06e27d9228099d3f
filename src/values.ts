/** One value as text. What is none, such as a list, gives no text. */
export const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/**
 * A whole number as the API wants it. A dropdown's value is text once the user maps it from another
 * step; text that is no number goes on as it is, so that the API can say what is wrong with it.
 */
export const toInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value

/** A country code without spaces around it, in upper case. */
export const toCountry = (value: unknown): unknown =>
  typeof value === 'string' ? value.trim().toUpperCase() : value

/** The items of a list field. A list that is mapped from another step arrives as one text with commas. */
export const toList = (value: unknown): string[] =>
  [value]
    .flat()
    .flatMap((item) => toText(item).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Text as it was typed; a number or a yes/no that is mapped into a text field is written out. */
export const scalarToText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value

/** A dictionary of text. */
export function toDictionary(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scalarToText(item)]))
}

/** The IANA time zones, for dropdowns. A zone that is mapped from another step may be any that the API knows. */
export const timeZones: string[] = Intl.supportedValuesOf('timeZone')
