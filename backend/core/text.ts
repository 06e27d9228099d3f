/** Returns JSON that is the same for equal values, regardless of the order of their fields. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? sortKeys(part) : part,
  )

const sortKeys = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Replaces what PostgreSQL can't store in text: NUL characters and lone surrogates. */
export const toStorableText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed()

/**
 * Returns at most `max` characters of a text. Leaves out half a character at the end, for example of an emoji, because JSON in
 * the database can't have it.
 */
export const cutText = (text: string, max: number): string => {
  const cut = text.slice(0, max)
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed()
}

/** Joins lines: each run of spaces with a line break in it becomes one space. */
export const toSingleLine = (text: string): string =>
  text.replace(/\s+/g, (spaces) => (/[\n\r\u2028\u2029]/.test(spaces) ? ' ' : spaces))

/** Joins the first few names for a sentence, and adds how many more there are. */
export function formatNames(names: readonly string[], maxNames = 5): string {
  const more = names.length - maxNames
  return [...names.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
