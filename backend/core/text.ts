/** JSON text that is the same for equal values, whatever the order of their fields. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? sortKeys(part) : part,
  )

const sortKeys = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Text as a database can keep it: no NUL, and no half of a character. */
export const toStorableText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed()

/** Names for a sentence: the first few of them, and how many more there are. */
export function formatNames(names: readonly string[], maxNames = 5): string {
  const more = names.length - maxNames
  return [...names.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
