/**
 * Names that no new tool or server can have. A conversation has its own tools with these names, which control the call, or
 * will have them.
 */
const reservedNames: ReadonlySet<string> = new Set([
  'end_call',
  'opt_out',
  'press_keys',
  'screened',
  'transfer',
  'voicemail_reached',
])

/** Returns true for a name that no new tool can have, in any case. A model could confuse names that differ in case. */
export const isReservedToolName = (name: string): boolean => reservedNames.has(name.toLowerCase())
