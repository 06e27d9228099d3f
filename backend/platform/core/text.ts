/** Returns JSON that is the same for equal values, regardless of the order of their fields. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? sortKeys(part) : part,
  )

const sortKeys = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Replaces what PostgreSQL can't store in text: NUL characters and lone surrogates. */
export const toStorableText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed()

/** Returns a value as JSON that PostgreSQL can store: replaces NUL characters and lone surrogates, also in names. */
export const toStorableJson = (value: unknown): string =>
  JSON.stringify(value).replace(unstorableEscapes, (escape) => (escape === backslash ? escape : '\uFFFD'))

/**
 * Matches what JSON.stringify writes for NUL and unpaired surrogates, which PostgreSQL rejects, and escaped
 * backslashes, which must be skipped.
 */
const unstorableEscapes = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g
const backslash = '\\\\'

/** Returns the start of a text. Drops a character that the cut would split in two: PostgreSQL can't store half of it. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
}

/** Joins lines: each run of spaces with a line break in it becomes one space. */
export const toSingleLine = (text: string): string =>
  text.replace(/\s+/g, (spaces) => (/[\n\r\u2028\u2029]/.test(spaces) ? ' ' : spaces))

/** Joins the first few names for a sentence, and adds how many more there are. */
export function formatNames(names: readonly string[], maxNames = 5): string {
  const more = names.length - maxNames
  return [...names.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
