import { boundedText, type ErrorDetail } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../platform/core/form-errors.ts'
import type { SecretChanges } from '../../tools/custom/tool-secrets.ts'
import { getTool } from '../../tools/tool-catalog.ts'
import { IssueCollector } from '../page/collect-issues.ts'
import type { IdContext } from '../page/page-context.ts'

/** Numbers of the rows for new secrets. */
export const newSecretNumbers = [1, 2, 3]

/**
 * Returns the changes to a tool's secrets: saved ones to replace or delete, and new ones to add.
 *
 * @param names of the tool's saved secrets
 * @throws {ApiError} validation_failed for a new secret without a name or a value
 */
export function parseSecrets(
  raw: Readonly<Record<string, unknown>>,
  names: readonly string[],
): SecretChanges {
  const removed = [raw.deleted_secret ?? []].flat()
  const changed = names.flatMap((name): [string, string | null][] => {
    const value = raw[`secret.${name}`]
    if (typeof value === 'string') return [[name, value]]
    return removed.includes(name) ? [[name, null]] : []
  })
  const issues = new IssueCollector()
  const parseRow = (number: number): [string, string][] => {
    const name = raw[`key_name_${number}`]
    const value = raw[`key_secret_${number}`]
    if (name === undefined && value === undefined) return []
    if (typeof name !== 'string') {
      throw invalidField(`key_name_${number}`, 'required', 'Enter a name for the secret.')
    }
    if (typeof value !== 'string') {
      throw invalidField(
        `key_secret_${number}`,
        'required',
        "Enter the secret's value. If you already entered it, enter it again: secret values are cleared when the form has errors.",
      )
    }
    return [[name.trim(), value.trim()]]
  }
  const added = newSecretNumbers.flatMap((number) => issues.collect(() => parseRow(number)) ?? [])
  issues.throwIfAny()
  return Object.fromEntries([...changed, ...added])
}

/** Loads what the forms of a tool edit. Excludes what other pages change: the tool's agents, and whether the tool is on. */
export async function loadEditedTool(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  { workspace, params: { id: toolId } }: IdContext,
): Promise<object> {
  const { name, description, settings, definitions, secretNames } = await getTool(deps, workspace.id, toolId)
  return { name, description, settings, definitions, secretNames }
}

/** Maximum length of the headers: fifty with the longest names and values, one per line. */
const maxHeadersLength = 50 * (100 + 4_000 + ': \r\n'.length)

export const HeadersField = boundedText(maxHeadersLength).default('')

/**
 * Parses headers, one `Name: value` per line.
 *
 * @throws {ApiError} validation_failed for a line that isn't a header
 */
export function parseHeaders(text: string): Record<string, string> {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
  return Object.fromEntries(
    lines.map((line, index) => {
      const at = line.indexOf(':')
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      throw invalidField(
        'headers',
        'invalid_format',
        `Line ${index + 1} isn't a header. Write it as Name: value.`,
      )
    }),
  )
}

export const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/**
 * Parses the parts of a form, and reports the issues of all parts together.
 *
 * @param otherIssues issues that the caller found, which are reported together with those of the parts
 * @throws {ApiError} validation_failed, with the details of every part
 */
export function parseParts<Parts extends Record<string, () => unknown>>(
  parts: Parts,
  otherIssues: readonly ErrorDetail[],
): { [Name in keyof Parts]: ReturnType<Parts[Name]> } {
  const issues = new IssueCollector()
  const read = Object.entries(parts).map(([name, part]) => [name, issues.collect(part)])
  issues.add(otherIssues)
  issues.throwIfAny()
  return Object.fromEntries(read) as { [Name in keyof Parts]: ReturnType<Parts[Name]> }
}
