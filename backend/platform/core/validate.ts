import { allDetailTexts, type DetailKey, type ErrorDetail, type ErrorValues } from '@outdial/contract'
import * as z from 'zod'
import { ApiError, type FieldIssue, fieldIssue } from './errors.ts'
import { cutText, toStorableText } from './text.ts'

/**
 * Maximum number of values in a body by default. Valid requests and forms have fewer. Each value takes microseconds, so a
 * body of 1 MiB could take a second.
 */
export const defaultMaxValues = 2_000

/** The schema of a query string without parameters. Rejects every parameter, instead of silently ignoring it. */
export const NoQuery = z.strictObject({})

/**
 * Validates a parsed body or query string with its schema.
 *
 * @param options.maxValues maximum number of values at any depth, keys not included; checked before anything else
 * @throws {ApiError} unknown_field if all issues are unknown fields, otherwise validation_failed
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  options: CleanOptions & { maxValues?: number } = {},
): z.output<Schema> {
  const { maxValues = defaultMaxValues } = options
  if (countValues(input, maxValues) > maxValues) throw tooManyValuesError(maxValues)
  const { value, details: issues } = cleanInput(input, options)
  if (issues.length > 0) throw validationError(issues)
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationError(toErrorDetails(parsed.error.issues))
}

/** Returns the error for a body with more values than `maxValues`. */
export const tooManyValuesError = (maxValues: number): ApiError =>
  validationError([fieldIssue('', 'too_big', { limit: `${maxValues.toLocaleString('en-US')} values` })])

/** Counts the values in `input`, including `input` itself. Stops counting soon after `max`. */
function countValues(input: unknown, max: number): number {
  const waiting = [input]
  let count = 0
  while (waiting.length > 0 && count + waiting.length <= max) {
    const value = waiting.pop()
    count += 1
    // The bytes of a file are one value.
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue
    for (const child of Object.values(value)) {
      waiting.push(child)
      if (waiting.length > max) break
    }
  }
  return count + waiting.length
}

function validationError(details: FieldIssue[]): ApiError {
  const hasOnlyUnknownFields = details.every((detail) => detail.code === 'unknown_field')
  return new ApiError(hasOnlyUnknownFields ? 'unknown_field' : 'validation_failed', { details })
}

const maxDepth = 16

/** A value without its blank parts, and details of parts that can't be stored. */
interface CleanedInput {
  value: unknown
  details: FieldIssue[]
}

interface CleanOptions {
  /**
   * Keeps lists and objects that contain only blank text. From a form, they mean "not filled in". From a program, they
   * don't.
   */
  keepEmptied?: boolean
}

/**
 * Prepares a parsed body or query string for its schema. Removes empty text, and lists and objects that contain
 * nothing else: automations send every field of a form, filled in or not. Reports text that PostgreSQL can't store
 * (NUL, lone surrogates) and nesting that would exhaust the stack.
 */
export function cleanInput(input: unknown, { keepEmptied = false }: CleanOptions = {}): CleanedInput {
  const details: FieldIssue[] = []
  return { value: cleanValue(input, [], { details, keepEmptied }), details }
}

interface Cleaning extends Required<CleanOptions> {
  details: FieldIssue[]
}

function cleanValue(value: unknown, path: string[], cleaning: Cleaning): unknown {
  const { details, keepEmptied } = cleaning
  if (typeof value === 'string') {
    checkText(value, path, details)
    return value
  }
  // The bytes of a file are one value, not millions.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (path.length >= maxDepth) {
    addIssue(details, path, 'too_deep')
    return undefined
  }
  const filled = Array.isArray(value) ? cleanList(value, path, cleaning) : cleanObject(value, path, cleaning)
  const isEmptied = Object.keys(filled).length === 0 && Object.keys(value).length > 0
  return isEmptied && !keepEmptied && path.length > 0 ? undefined : filled
}

const cleanList = (list: unknown[], path: string[], cleaning: Cleaning): unknown[] =>
  list
    .map((item, index) => cleanValue(item, [...path, String(index)], cleaning))
    .filter((item) => !isBlank(item))

function cleanObject(object: object, path: string[], cleaning: Cleaning): object {
  const { details } = cleaning
  const entries = Object.entries(object).map(([key, value]): [string, unknown] => {
    checkText(key, [...path, key], details)
    // zod's records drop this key silently. At the top level, it's reported as an unknown field.
    if (key === '__proto__' && path.length > 0) {
      addIssue(details, [...path, key], 'invalid_key')
    }
    return [key, cleanValue(value, [...path, key], cleaning)]
  })
  // fromEntries defines properties: assigning to `__proto__` would change the prototype instead.
  return Object.fromEntries(entries.filter(([, value]) => !isBlank(value)))
}

const isBlank = (value: unknown): boolean => value === '' || value === undefined

function checkText(text: string, path: string[], details: FieldIssue[]): void {
  if (text.includes('\u0000') || !text.isWellFormed()) addIssue(details, path, 'invalid_text')
}

function addIssue(details: FieldIssue[], path: string[], code: DetailKey): void {
  details.push(fieldIssue(formatFieldPath(path), code))
}

type Issue = z.core.$ZodIssue

/**
 * Converts zod issues to details with messages for people who fill in a form.
 *
 * @param issues of a parse with `reportInput`, which distinguishes missing values from invalid ones
 */
export function toErrorDetails(issues: readonly Issue[]): FieldIssue[] {
  const details = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownFieldDetails(issue) : [toErrorDetail(issue)],
  )
  // Two rules of a schema may report the same issue.
  const groups = Map.groupBy(details, (detail) => `${detail.code} ${detail.field}`)
  return [...groups.values()].flatMap(([first]) => first ?? [])
}

const unknownFieldDetails = (issue: z.core.$ZodIssueUnrecognizedKeys): FieldIssue[] =>
  issue.keys.map((key) => fieldIssue(formatFieldPath([...issue.path, key]), 'unknown_field'))

const isDetailKey = (key: string): key is DetailKey => Object.hasOwn(allDetailTexts, key)

function toErrorDetail(issue: Issue): FieldIssue {
  const { key, values } = describeIssue(issue)
  return fieldIssue(formatFieldPath(issue.path), key, values)
}

/** Replaces the field's name in the message, for forms that show it next to the field. */
export const withoutFieldName = ({ field, message }: ErrorDetail): string =>
  message.startsWith(`${field} `) ? `This field${message.slice(field.length)}` : message

/** Returns a field's name for an error message, without text that PostgreSQL can't store. */
export const formatFieldPath = (path: readonly PropertyKey[]): string =>
  cutText(toStorableText(path.map(String).join('.')), 200)

interface IssueDescription {
  key: DetailKey
  values?: ErrorValues
}

function describeIssue(issue: Issue): IssueDescription {
  // The contract's own rules have the key of a text as their message.
  if (isDetailKey(issue.message)) {
    return { key: issue.message, values: issue.code === 'custom' ? issue.params : undefined }
  }
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return { key: 'required' }
      return { key: 'invalid_type', values: { type: typeDescriptions[issue.expected] ?? issue.expected } }
    case 'too_big':
    case 'too_small':
      return describeSizeIssue(issue)
    case 'invalid_value':
      if (issue.input === undefined) return { key: 'required' }
      return { key: 'invalid_value', values: { values: issue.values.map(String).join(', ') } }
    case 'invalid_key':
      return { key: 'invalid_key' }
    case 'invalid_format': {
      const key = `invalid_${issue.format}`
      return { key: isDetailKey(key) ? key : 'invalid_format' }
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return { key: 'invalid_format' }
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

function describeSizeIssue(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): IssueDescription {
  const isMaximum = issue.code === 'too_big'
  const bound = String(isMaximum ? issue.maximum : issue.minimum)
  if (issue.origin === 'string') {
    const limit = `${bound} ${bound === '1' ? 'character' : 'characters'}`
    return { key: isMaximum ? 'too_long' : 'too_short', values: { limit } }
  }
  const isList = issue.origin === 'array' || issue.origin === 'record'
  const unit = bound === '1' ? ' entry' : ' entries'
  return { key: issue.code, values: { limit: `${bound}${isList ? unit : ''}` } }
}
