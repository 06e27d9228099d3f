/**
 * Drops blank values at every depth: null, whitespace, and objects and lists that are then empty. Zapier also sends the
 * fields that the user left blank, and the API would clear their stored values.
 *
 * @returns undefined if nothing is left
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
