import type { ErrorObject } from 'ajv/dist/2020.js'
import { cutText } from '../../platform/core/text.ts'

/**
 * Returns what to change about each invalid argument, in words that an agent can act on: "city is required", "count must be a
 * whole number", "unknown argument foo". Returns at most ten such messages, without duplicates, and how many more there are.
 */
export function formatErrors(errors: readonly ErrorObject[]): string[] {
  const messages = [...new Set(mergeAlternatives(errors).map(({ text }) => text))]
  if (messages.length <= maxErrors) return messages
  return [...messages.slice(0, maxErrors), `and ${messages.length - maxErrors} more issues`]
}

const maxErrors = 10

interface FormattedError {
  at: string
  schemaPath: string
  text: string
}

/** Merges the errors of all alternatives of an `anyOf` or `oneOf` into one. */
function mergeAlternatives(errors: readonly ErrorObject[]): FormattedError[] {
  return errors.reduce<FormattedError[]>((formatted, error) => {
    const { instancePath: at, schemaPath, keyword } = error
    if (keyword === 'if') return formatted // the errors of `then` or `else` are reported instead
    const current = { at, schemaPath, text: formatError(error) }
    if (keyword !== 'anyOf' && keyword !== 'oneOf') return [...formatted, current]
    const isPart = (other: FormattedError) =>
      other.schemaPath.startsWith(`${schemaPath}/`) || (at !== '' && `${other.at}/`.startsWith(`${at}/`))
    const parts = formatted.filter(isPart)
    if (parts.length === 0) return [...formatted, current]
    const text = [...new Set(parts.map((part) => part.text))].slice(0, 5).join(', or ')
    return [...formatted.filter((other) => !isPart(other)), { ...current, text }]
  }, [])
}

function formatError({ keyword, instancePath, params, message = '' }: ErrorObject): string {
  const name = formatPath(instancePath)
  const value = params as Record<string, unknown>
  const limit = String(value.limit)
  switch (keyword) {
    case 'required':
      return `${formatPath(instancePath, String(value.missingProperty))} is required`
    case 'dependentRequired':
      return `${formatPath(instancePath, String(value.missingProperty))} is required if you pass ${truncate(value.property)}`
    case 'additionalProperties':
      return `unknown argument ${formatPath(instancePath, String(value.additionalProperty))}`
    case 'unevaluatedProperties':
      return `unknown argument ${formatPath(instancePath, String(value.unevaluatedProperty))}`
    case 'propertyNames':
      return `unknown argument ${formatPath(instancePath, String(value.propertyName))}`
    case 'type':
      return `${name} must be ${[value.type].flat().map(formatType).join(' or ')}`
    case 'enum':
      return `${name} must be one of: ${formatValues(value.allowedValues)}`
    case 'const':
      return `${name} must be ${truncate(JSON.stringify(value.allowedValue))}`
    case 'format':
      return `${name} must be ${formatNames[String(value.format)] ?? `a valid ${truncate(value.format)}`}`
    case 'pattern':
      return `${name} must match the pattern ${truncate(value.pattern)}`
    case 'minLength':
      return value.limit === 1
        ? `${name} must not be empty`
        : `${name} must have at least ${limit} characters`
    case 'maxLength':
      return `${name} can have at most ${limit} ${value.limit === 1 ? 'character' : 'characters'}`
    case 'minItems':
    case 'minProperties':
      return `${name} must have at least ${limit} ${value.limit === 1 ? 'entry' : 'entries'}`
    case 'maxItems':
    case 'maxProperties':
      return `${name} can have at most ${limit} ${value.limit === 1 ? 'entry' : 'entries'}`
    case 'minimum':
      return `${name} must be at least ${limit}`
    case 'maximum':
      return `${name} must be at most ${limit}`
    case 'exclusiveMinimum':
      return `${name} must be more than ${limit}`
    case 'exclusiveMaximum':
      return `${name} must be less than ${limit}`
    case 'uniqueItems':
      return `${name} must not contain duplicates`
    case 'oneOf':
      return `${name} must match exactly one of its alternatives`
    case 'anyOf':
    case 'not':
    case 'false schema':
      return `${name} has a value that isn't allowed`
    default:
      return `${name} ${message}`
  }
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}
const formatType = (type: unknown): string => typeNames[String(type)] ?? String(type)

const formatNames: Record<string, string> = {
  email: 'an email address',
  date: 'a date such as 2026-05-04',
  time: 'a time with a UTC offset, such as 09:30:00Z',
  'date-time': 'a date and time with a UTC offset, such as 2026-05-04T09:30:00+02:00',
  uri: 'a URL such as https://example.com/',
  uuid: 'a UUID',
}

const formatValues = (values: unknown): string =>
  truncate(
    [values]
      .flat()
      .map((value) => JSON.stringify(value))
      .join(', '),
    400,
  )

/** Formats a JSON Pointer (RFC 6901) as a path: `/stops/0/city` becomes `stops[0].city`. */
function formatPath(pointer: string, property?: string): string {
  const steps = pointer.split('/').slice(1).map(unescape)
  if (property !== undefined) steps.push(property)
  const [first, ...rest] = steps
  if (first === undefined) return 'the arguments'
  return truncate(first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(''))
}

const unescape = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

const truncate = (value: unknown, length = 100): string => {
  const text = String(value)
  return text.length > length ? `${cutText(text, length)}…` : text
}
