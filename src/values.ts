/** Returns a value as text: empty text for anything but text, numbers, and booleans. */
export const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Returns true for an object that isn't a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns true for a name that can be part of a field's key. Zapier splits a key at two underscores. */
export const isKeyPart = (name: string): boolean => /^[a-z0-9]+(_[a-z0-9]+)*$/i.test(name)
