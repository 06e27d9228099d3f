import { invalidField } from '../../core/errors.ts'
import type { SecretChanges } from '../../tools/general/merge-secrets.ts'

/** How many new secrets a form has room for. */
export const newSecretNumbers = [1, 2, 3]

/**
 * What a form changes of a tool's secrets: those that it has are kept, replaced or forgotten, and new ones added.
 *
 * @param names of the secrets that the tool has
 * @throws {ApiError} validation_failed for a new one without name or value
 */
export function parseSecrets(
  raw: Readonly<Record<string, unknown>>,
  names: readonly string[],
): SecretChanges {
  const removed = [raw.forget_key ?? []].flat()
  const changed = names.flatMap((name): [string, string | null][] => {
    const value = raw[`secret.${name}`]
    if (typeof value === 'string') return [[name, value]]
    return removed.includes(name) ? [[name, null]] : []
  })
  const added = newSecretNumbers.flatMap((number): [string, string][] => {
    const name = raw[`key_name_${number}`]
    const value = raw[`key_secret_${number}`]
    if (name === undefined && value === undefined) return []
    if (typeof name !== 'string') {
      throw invalidField(`key_name_${number}`, 'required', 'Give the secret a name.')
    }
    if (typeof value !== 'string') {
      throw invalidField(
        `key_secret_${number}`,
        'required',
        'Type the secret: it is not kept when a form comes back.',
      )
    }
    return [[name.trim(), value.trim()]]
  })
  return Object.fromEntries([...changed, ...added])
}
