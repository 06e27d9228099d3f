import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'

type Issue = z.core.$ZodIssue

/**
 * Translates what zod found into details, in the words of a person who fills in a form.
 *
 * @param issues of a parse with `reportInput`: a value that is missing is told from one that is wrong by it
 */
export function toErrorDetails(issues: readonly Issue[]): ErrorDetail[] {
  const details = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownFieldDetails(issue) : [toErrorDetail(issue)],
  )
  // Two rules of one schema may object to the same thing.
  return [...new Map(details.map((detail) => [`${detail.code} ${detail.field}`, detail])).values()]
}

const unknownFieldDetails = (issue: z.core.$ZodIssueUnrecognizedKeys): ErrorDetail[] =>
  issue.keys.map((key) => {
    const field = formatFieldPath([...issue.path, key])
    return { field, code: 'unknown_field', message: `${field} is not a field that this request knows.` }
  })

function toErrorDetail(issue: Issue): ErrorDetail {
  const field = formatFieldPath(issue.path)
  const { code, text } = describeIssue(issue)
  return { field, code, message: `${field || 'The body'} ${text}.` }
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
      return { code: 'invalid_key', text: 'has a name that is empty or too long' }
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
      return { code: 'invalid_value', text: 'has a value that is not accepted' }
  }
}

const typeDescriptions: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object of names and texts',
}

const formatDescriptions: Record<string, string> = {
  email: 'must be an e-mail address',
  url: 'must be a web address such as https://example.com/hook',
  datetime: 'must be a time with its zone, such as 2026-05-04T09:30:00+02:00',
}

function describeSizeIssue(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): IssueDescription {
  const isMaximum = issue.code === 'too_big'
  const bound = String(isMaximum ? issue.maximum : issue.minimum)
  const side = isMaximum ? 'at most' : 'at least'
  if (issue.origin === 'string') {
    return { code: isMaximum ? 'too_long' : 'too_short', text: `must have ${side} ${bound} characters` }
  }
  if (issue.origin === 'array' || issue.origin === 'record') {
    return { code: issue.code, text: `must have ${side} ${bound} entries` }
  }
  return { code: issue.code, text: `must be ${side} ${bound}` }
}

/** Messages of the contract's own rules begin with "must"; zod's defaults do not read as one. */
const describeCustomMessage = (message: string): string =>
  message.startsWith('must') ? message : 'has a wrong format'
