/**
 * Drops what the user left blank, at every depth: null, text of spaces alone, and objects and lists
 * that are empty afterwards. Zapier sends a blank field as it is, and the API would take it as a wish to
 * clear what is stored.
 *
 * @returns undefined where nothing is left
 */
export function withoutBlanks(value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) {
    const items = value.map(withoutBlanks).filter((item) => item !== undefined)
    return items.length === 0 ? undefined : items
  }
  if (typeof value !== 'object') return value
  const entries = Object.entries(value)
    .map(([key, item]) => [key, withoutBlanks(item)] as const)
    .filter(([key, item]) => key.trim() !== '' && item !== undefined)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
