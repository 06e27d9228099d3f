import type { ChangedValues } from '../../../platform/db/tables/call-tables.ts'
import { consentColumns, textColumns } from '../../../platform/db/tables/contact-fields.ts'

/** A change that an import made to a contact. */
export interface ImportedValues {
  oldValues: ChangedValues
  newValues: ChangedValues
}

interface Values {
  oldValues: object
  newValues: object
}

/** Joins what the rows of an import changed about a contact, oldest first, into one change. */
export function joinChanges(changes: readonly ImportedValues[]): ImportedValues {
  const texts = changes.reduce<Values>(joinValues, noValues)
  const variables = changes.map(({ oldValues, newValues }) => ({
    oldValues: oldValues.variables ?? {},
    newValues: newValues.variables ?? {},
  }))
  const joined = variables.reduce<Values>(joinValues, noValues)
  return {
    oldValues: { ...texts.oldValues, variables: joined.oldValues as Record<string, string> },
    newValues: { ...texts.newValues, variables: joined.newValues as Record<string, string> },
  }
}

const noValues: Values = { oldValues: {}, newValues: {} }

/** Joins two changes. The old value is that of the earlier change, unless someone else changed the value between the two. */
function joinValues(earlier: Values, later: Values): Values {
  const between = new Map<string, unknown>(Object.entries(earlier.newValues))
  const next = new Map<string, unknown>(Object.entries(later.oldValues))
  const changed = new Set([...next.keys(), ...Object.keys(later.newValues)])
  const isFirst = (name: string) => !changed.has(name) || between.get(name) === next.get(name)
  const first = Object.entries(earlier.oldValues).filter(([name]) => isFirst(name))
  const latest = Object.entries(later.oldValues).filter(([name]) => !isFirst(name))
  return {
    oldValues: Object.fromEntries([...first, ...latest]),
    newValues: { ...earlier.newValues, ...later.newValues },
  }
}

/**
 * Returns the fields to write so that a contact has its old values again. Leaves out fields that have changed since the
 * import. A consent's source, date, and kind belong together: all are restored, or none.
 *
 * @returns undefined if there's nothing to restore
 */
export function toRestorableValues(
  current: ChangedValues,
  { oldValues, newValues }: ImportedValues,
): ChangedValues | undefined {
  const isImported = (column: keyof ChangedValues) =>
    column in newValues && current[column] === newValues[column]
  const texts = textColumns.filter(isImported)
  const changedConsent = consentColumns.filter((column) => column in newValues)
  const consent = changedConsent.every(isImported) ? changedConsent : []
  const variables = restoreVariables(current.variables ?? {}, oldValues.variables, newValues.variables)
  const columns = [...texts, ...consent]
  if (columns.length === 0 && variables === undefined) return undefined
  return {
    ...Object.fromEntries(columns.map((column) => [column, oldValues[column] ?? null])),
    // If the change was logged before consents had kinds, it has no old kind, and the contact's current kind belongs to another
    // consent.
    ...(consent.length > 0 && { consent_kind: oldValues.consent_kind ?? null }),
    ...(variables && { variables }),
  }
}

/**
 * Returns all variables. Those that the import changed, and no one has changed since, get their old values. Returns undefined
 * if there's nothing to restore.
 */
function restoreVariables(
  current: Record<string, string>,
  oldVariables: Record<string, string> = {},
  newVariables: Record<string, string> = {},
): Record<string, string> | undefined {
  const changed = [...new Set([...Object.keys(oldVariables), ...Object.keys(newVariables)])]
  const toRestore = new Set(changed.filter((name) => current[name] === newVariables[name]))
  if (toRestore.size === 0) return undefined
  const untouched = Object.entries(current).filter(([name]) => !toRestore.has(name))
  const restored = Object.entries(oldVariables).filter(([name]) => toRestore.has(name))
  return Object.fromEntries([...untouched, ...restored])
}
