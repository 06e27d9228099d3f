import type { ErrorDetail } from '@outdial/contract'
import { ApiError } from '../../core/errors.ts'
import { isStorable } from '../json-schema/check-tool-schema.ts'
import { findSecretNames, type ToolSecrets } from './tool-secrets.ts'

/** @throws {ApiError} validation_failed where there are faults; its message is the first one */
export function requireNoIssues(issues: readonly ErrorDetail[]): void {
  const [first] = issues
  if (first !== undefined) throw new ApiError('validation_failed', first.message, { details: [...issues] })
}

export const createIssue = (field: string, code: string, message: string): ErrorDetail => ({
  field,
  code,
  message,
})

/** `__` is kept for the tools of remote servers, so that no two tools of a workspace have one name. */
export function checkName(name: string): ErrorDetail[] {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    const message = 'The name must have 1 to 64 letters, digits, - or _, and begin with a letter or a digit.'
    return [createIssue('name', 'invalid_name', message)]
  }
  if (!name.includes('__')) return []
  return [createIssue('name', 'invalid_name', 'The name must not contain two underscores in a row.')]
}

export function checkDescription(description: string): ErrorDetail[] {
  if (description.trim() === '') {
    const message = 'The description is required: the agent decides by it when to use the tool.'
    return [createIssue('description', 'required', message)]
  }
  if (description.length <= 4000 && isStorable(JSON.stringify(description))) return []
  return [
    createIssue('description', 'too_long', 'The description must be plain text of at most 4000 characters.'),
  ]
}

/** They belong to the connection, or would contradict it. */
const reservedHeaders =
  /^(host|connection|content-length|transfer-encoding|upgrade|expect|keep-alive|te|trailer|accept-encoding|mcp-.*|proxy-.*)$/i

export function checkHeaders(headers: Record<string, string>): ErrorDetail[] {
  const entries = Object.entries(headers)
  if (entries.length > 50) return [createIssue('headers', 'too_big', 'There can be at most 50 headers.')]
  return entries.flatMap(([name, value]) => {
    const displayName = name.slice(0, 100)
    if (!/^[!#$%&'*+.^`|~\w-]{1,100}$/.test(name)) {
      return [createIssue('headers', 'invalid_name', `"${displayName}" is no name of a header.`)]
    }
    if (reservedHeaders.test(name)) {
      return [
        createIssue('headers', 'invalid_name', `The header ${displayName} is set by the connection itself.`),
      ]
    }
    if (/^[\t\x20-\x7e]{0,4000}$/.test(value)) return []
    return [
      createIssue(
        'headers',
        'invalid_value',
        `The value of ${displayName} must be one line of plain ASCII text.`,
      ),
    ]
  })
}

/** @param texts in which secrets are referred to */
export function checkSecrets(secrets: ToolSecrets, texts: readonly string[]): ErrorDetail[] {
  const invalid = Object.entries(secrets).flatMap(([name, value]) => {
    const displayName = name.slice(0, 100)
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
      const message = `"${displayName}" is no name of a secret: use letters, digits and _.`
      return [createIssue('secrets', 'invalid_name', message)]
    }
    // A shorter one stands in many texts by chance, and each would be blacked out.
    if (/^[\x21-\x7e](?:[\x20-\x7e]{4,3998})[\x21-\x7e]$/.test(value)) return []
    const message = `The secret ${displayName} must be one line of 6 to 4000 characters of plain ASCII, no blanks around it.`
    return [createIssue('secrets', 'invalid_value', message)]
  })
  const missing = texts.flatMap(findSecretNames).filter((name) => !Object.hasOwn(secrets, name))
  const unknown = [...new Set(missing)].map((name) =>
    createIssue('secrets', 'required', `The secret ${name.slice(0, 100)} is used but not given.`),
  )
  return [...invalid, ...unknown]
}
