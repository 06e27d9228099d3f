import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'
import { ApiError } from './errors.ts'
import { toStorableText } from './text.ts'

/** Limits the details of a response, so that a body with a million issues doesn't cause a larger response. */
const maxDetails = 50

/**
 * Validates a parsed body or query string with its schema.
 *
 * @throws {ApiError} unknown_field if all issues are unknown fields, otherwise validation_failed
 */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { value, details: issues } = cleanInput(input)
  if (issues.length > 0) throw validationError(issues)
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationError(toErrorDetails(parsed.error.issues))
}

function validationError(details: ErrorDetail[]): ApiError {
  const hasOnlyUnknownFields = details.every((detail) => detail.code === 'unknown_field')
  return new ApiError(
    hasOnlyUnknownFields ? 'unknown_field' : 'validation_failed',
    summarizeIssues(details),
    {
      details: details.slice(0, maxDetails),
    },
  )
}

/** Joins the first three messages. Automation platforms show only this text. */
function summarizeIssues(details: ErrorDetail[]): string {
  const shown = details.slice(0, 3).map((detail) => detail.message)
  const more = details.length - shown.length
  return [...shown, ...(more > 0 ? [`And ${more} more ${more === 1 ? 'issue' : 'issues'}.`] : [])].join(' ')
}

const maxDepth = 16

/** A value without its blank parts, and details of parts that can't be stored. */
interface CleanedInput {
  value: unknown
  details: ErrorDetail[]
}

/**
 * Prepares a parsed body or query string for its schema. Removes empty text, and lists and objects that contain
 * nothing else: automations send every field of a form, filled in or not. Reports text that PostgreSQL can't store
 * (NUL, lone surrogates) and nesting that would exhaust the stack.
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
    addIssue(details, path, 'too_deep', `is nested too deeply. Use at most ${maxDepth} levels of nesting`)
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
    // zod's records drop this key silently. At the top level, it's reported as an unknown field.
    if (key === '__proto__' && path.length > 0) {
      addIssue(details, [...path, key], 'invalid_key', "can't be used as a name. Use a different name")
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
  if (text.includes('\u0000'))
    addIssue(details, path, 'invalid_text', 'contains an invisible NUL character. Type the text again')
  else if (!text.isWellFormed())
    addIssue(
      details,
      path,
      'invalid_text',
      'contains part of a character, such as half of an emoji that was cut off. Type the text again',
    )
}

function addIssue(details: ErrorDetail[], path: string[], code: string, text: string): void {
  // The response quotes the field name, so it must not contain text that can't be stored.
  const field = toStorableText(path.join('.')).slice(0, 200)
  details.push({ field, code, message: `${field || 'The request body'} ${text}.` })
}

type Issue = z.core.$ZodIssue

/**
 * Converts zod issues to details with messages for people who fill in a form.
 *
 * @param issues of a parse with `reportInput`, which distinguishes missing values from invalid ones
 */
export function toErrorDetails(issues: readonly Issue[]): ErrorDetail[] {
  const details = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownFieldDetails(issue) : [toErrorDetail(issue)],
  )
  // Two rules of a schema may report the same issue.
  return [...new Map(details.map((detail) => [`${detail.code} ${detail.field}`, detail])).values()]
}

const unknownFieldDetails = (issue: z.core.$ZodIssueUnrecognizedKeys): ErrorDetail[] =>
  issue.keys.map((key) => {
    const field = formatFieldPath([...issue.path, key])
    return {
      field,
      code: 'unknown_field',
      message: `${field} isn't a known field. Check the spelling or remove it.`,
    }
  })

function toErrorDetail(issue: Issue): ErrorDetail {
  const field = formatFieldPath(issue.path)
  const { code, text } = describeIssue(issue)
  return { field, code, message: `${field || 'The request body'} ${text}.` }
}

/** Removes the field's name from the message, for forms that show it next to the field. */
export function withoutFieldName({ field, message }: ErrorDetail): string {
  if (!message.startsWith(`${field} `)) return message
  const rest = message.slice(field.length + 1)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

const formatFieldPath = (path: readonly PropertyKey[]): string => path.map(String).join('.').slice(0, 200)

interface IssueDescription {
  code: string
  text: string
}

function describeIssue(issue: Issue): IssueDescription {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return { code: 'required', text: 'is required' }
      return { code: 'invalid_type', text: `must be ${typeDescriptions[issue.expected] ?? issue.expected}` }
    case 'too_big':
    case 'too_small':
      return describeSizeIssue(issue)
    case 'invalid_format':
      return {
        code: issue.format === 'regex' ? 'invalid_format' : `invalid_${issue.format}`,
        text: formatDescriptions[issue.format] ?? describeCustomMessage(issue.message),
      }
    case 'invalid_value':
      if (issue.input === undefined) return { code: 'required', text: 'is required' }
      return { code: 'invalid_value', text: `must be one of: ${issue.values.map(String).join(', ')}` }
    case 'invalid_key':
      return { code: 'invalid_key', text: 'has a name that is empty or too long. Use a different name' }
    case 'custom': {
      const code: unknown = issue.params?.code
      return {
        code: typeof code === 'string' ? code : 'invalid_value',
        text: describeCustomMessage(issue.message),
      }
    }
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return { code: 'invalid_value', text: "has an invalid value. Check the field's description" }
  }
}

const typeDescriptions: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object with text values',
}

const formatDescriptions: Record<string, string> = {
  email: 'must be an email address, for example ada@example.com',
  url: 'must be a URL, for example https://example.com/hook',
  datetime: 'must be a date and time with a time zone, for example 2026-05-04T09:30:00+02:00',
}

function describeSizeIssue(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): IssueDescription {
  const isMaximum = issue.code === 'too_big'
  const bound = String(isMaximum ? issue.maximum : issue.minimum)
  const side = isMaximum ? 'at most' : 'at least'
  const length = isMaximum ? 'can have at most' : 'must have at least'
  const isOne = bound === '1'
  if (issue.origin === 'string') {
    const noun = isOne ? 'character' : 'characters'
    return { code: isMaximum ? 'too_long' : 'too_short', text: `${length} ${bound} ${noun}` }
  }
  if (issue.origin === 'array' || issue.origin === 'record') {
    const noun = isOne ? 'entry' : 'entries'
    return { code: issue.code, text: `${length} ${bound} ${noun}` }
  }
  return { code: issue.code, text: `must be ${side} ${bound}` }
}

/** Keeps the messages of the contract's rules, which start with "must" or "can", and replaces zod's default messages. */
const describeCustomMessage = (message: string): string =>
  /^(must|can) /.test(message) ? message : "has an invalid format. Check the field's description"
