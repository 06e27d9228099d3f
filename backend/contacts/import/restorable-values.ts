import type { ChangedValues } from '../../db/tables/call-tables.ts'
import { consentColumns, textColumns } from '../../db/tables/contact-fields.ts'

/**
 * Returns the fields to write so that a contact has its old values again. Leaves out fields that have changed since the
 * import. The source and the date of a consent belong together: both are restored, or none.
 *
 * @returns undefined if there's nothing to restore
 */
export function toRestorableValues(
  current: ChangedValues,
  imported: { oldValues: ChangedValues; newValues: ChangedValues },
): ChangedValues | undefined {
  const { oldValues, newValues } = imported
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
    ...(variables && { variables }),
  }
}

/** Returns all variables, with the old values of those that haven't changed since. Undefined if that's none of them. */
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
