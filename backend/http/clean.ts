import type { ErrorDetail } from '@outdial/contract'
import { toStorableText } from '../storable-text.ts'

const maxDepth = 16

/** A value without blanks, and what in it cannot be stored at all. */
export interface CleanedInput {
  value: unknown
  details: ErrorDetail[]
}

/**
 * Prepares a parsed body or query string for its schema. Empty text counts as absent, and so does a
 * list or an object in which nothing else was: automations send every field of a form, filled in or
 * not. Text that PostgreSQL cannot store (NUL, lone surrogates) and nesting that would exhaust the
 * stack are reported.
 */
export function cleanInput(input: unknown): CleanedInput {
  const details: ErrorDetail[] = []
  return { value: cleanValue(input, [], details), details }
}

function cleanValue(value: unknown, path: string[], details: ErrorDetail[]): unknown {
  if (typeof value === 'string') {
    checkText(value, path, details)
    return value
  }
  // The bytes of a file are one value, not millions.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (path.length >= maxDepth) {
    addIssue(details, path, 'too_deep', `is nested more than ${maxDepth} levels deep`)
    return undefined
  }
  return Array.isArray(value) ? cleanList(value, path, details) : cleanObject(value, path, details)
}

function cleanList(list: unknown[], path: string[], details: ErrorDetail[]): unknown[] | undefined {
  const items = list.map((item, index) => cleanValue(item, [...path, String(index)], details))
  const filled = items.filter((item) => !isBlank(item))
  return filled.length === 0 && list.length > 0 && path.length > 0 ? undefined : filled
}

function cleanObject(object: object, path: string[], details: ErrorDetail[]): object | undefined {
  const entries = Object.entries(object).map(([key, value]): [string, unknown] => {
    checkText(key, [...path, key], details)
    // Dictionaries of zod leave it out without a word; at the top it is a field that nobody knows.
    if (key === '__proto__' && path.length > 0) {
      addIssue(details, [...path, key], 'invalid_key', 'is a name that cannot be kept')
    }
    return [key, cleanValue(value, [...path, key], details)]
  })
  const filled = entries.filter(([, value]) => !isBlank(value))
  if (filled.length === 0 && entries.length > 0 && path.length > 0) return undefined
  // fromEntries defines properties: assigning to `__proto__` would change the prototype instead.
  return Object.fromEntries(filled)
}

const isBlank = (value: unknown): boolean => value === '' || value === undefined

function checkText(text: string, path: string[], details: ErrorDetail[]): void {
  if (text.includes('\u0000')) addIssue(details, path, 'invalid_text', 'contains the NUL character')
  else if (!text.isWellFormed()) addIssue(details, path, 'invalid_text', 'contains half of a character')
}

function addIssue(details: ErrorDetail[], path: string[], code: string, text: string): void {
  // Field names are echoed: what cannot be stored in one must not come back either.
  const field = toStorableText(path.join('.')).slice(0, 200)
  details.push({ field, code, message: `${field || 'The body'} ${text}.` })
}
