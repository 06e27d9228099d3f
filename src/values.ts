/** Returns a value as text: empty text for anything but text, numbers, and booleans. */
export const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/**
 * Returns a whole number for text that is one: a dropdown's value is text when the user maps it from another step.
 * Returns any other value unchanged, so that the API can say what's wrong with it.
 */
export const toInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value

/** Returns a country code trimmed and in upper case. */
export const toCountry = (value: unknown): unknown =>
  typeof value === 'string' ? value.trim().toUpperCase() : value

/** Returns the items of a list field. A list mapped from another step arrives as one comma-separated text. */
export const toList = (value: unknown): string[] =>
  [value]
    .flat()
    .flatMap((item) => toText(item).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Converts a number or boolean that is mapped into a text field to text. Returns other values unchanged. */
export const scalarToText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value

/** Returns a dictionary whose numbers and booleans are text. */
export function toDictionary(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scalarToText(item)]))
}

/** The IANA time zones, for dropdowns. A zone mapped from another step can be any that the API accepts. */
export const timeZones: string[] = Intl.supportedValuesOf('timeZone')
