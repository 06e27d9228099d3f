/**
 * Names that new tools and servers can't have. They belong to the built-in tools that control a call, or are reserved for
 * future ones.
 */
const reservedNames: ReadonlySet<string> = new Set([
  'end_call',
  'opt_out',
  'press_keys',
  'screened',
  'transfer',
  'voicemail_reached',
])

/**
 * Returns true if new tools can't have this name. Ignores case, because a model could confuse names that differ only in case.
 */
export const isReservedToolName = (name: string): boolean => reservedNames.has(name.toLowerCase())
