/** Returns the values under these keys, in the order of the keys. */
export const pick = <Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Pick<Source, Key> => Object.fromEntries(keys.map((key) => [key, source[key]])) as Pick<Source, Key>

/** Returns the text under a key that a user chose, which may be the name of something that each object inherits. */
export const getOwn = (texts: Readonly<Record<string, string>> | null | undefined, key: string): string =>
  texts !== null && texts !== undefined && Object.hasOwn(texts, key) ? (texts[key] ?? '') : ''

/** Returns an object with a value for each key. */
export const toRecord = <Key extends string, Value>(
  keys: readonly Key[],
  toValue: (key: Key) => Value,
): Record<Key, Value> => Object.fromEntries(keys.map((key) => [key, toValue(key)])) as Record<Key, Value>
