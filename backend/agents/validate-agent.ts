import type { ErrorDetail } from '@outdial/contract'
import { ApiError, invalidField } from '../core/errors.ts'
import type { AgentValues } from './agent-store.ts'

const limits = { name: 200, greeting: 2000, variables: 50, variable: 64 }

/** What an agent is called and says, without its status. */
export type AgentInput = Omit<AgentValues, 'status'>

/**
 * Trims the texts of an agent, writes its language as BCP 47 has it (RFC 5646, section 4.5), and takes each variable once.
 *
 * @throws {ApiError} validation_failed, with a detail for each fault
 */
export function validateAgent(input: AgentInput): AgentInput {
  const name = input.name.trim()
  const greeting = input.greeting.trim()
  const variables = [...new Set(input.variables.map((variable) => variable.trim()).filter(Boolean))]
  const language = input.language === undefined ? undefined : canonicalizeLanguage(input.language)
  const issues = [
    ...(name === '' ? [issue('name', 'required', 'The agent needs a name.')] : []),
    ...lengthIssues('name', name, limits.name),
    ...lengthIssues('greeting', greeting, limits.greeting),
    ...variables.filter((variable) => !isVariableName(variable)).map(invalidVariableIssue),
    ...(variables.length > limits.variables
      ? [issue('variables', 'too_big', `An agent can have at most ${limits.variables} variables.`)]
      : []),
  ]
  const [firstIssue] = issues
  if (firstIssue !== undefined)
    throw new ApiError('validation_failed', firstIssue.message, { details: issues })
  return { name, greeting, variables, ...(language !== undefined && { language }) }
}

function canonicalizeLanguage(tag: string): string {
  try {
    const [language] = Intl.getCanonicalLocales(tag)
    if (language !== undefined) return language
  } catch {
    // RangeError: told below
  }
  throw invalidField('language', 'invalid_language', 'The language must be a tag such as en-US or de.')
}

/** As scripts can name it: `{{roof_type}}`. */
const isVariableName = (name: string): boolean => /^\w+$/.test(name) && name.length <= limits.variable

const invalidVariableIssue = (name: string): ErrorDetail =>
  issue(
    'variables',
    'invalid_name',
    `“${name.slice(0, limits.variable)}” is no name of a variable: use letters without accents, digits and _, such as roof_type.`,
  )

const lengthIssues = (field: string, text: string, maxLength: number): ErrorDetail[] =>
  text.length <= maxLength
    ? []
    : [issue(field, 'too_long', `The ${field} must have at most ${maxLength} characters.`)]

const issue = (field: string, code: string, message: string): ErrorDetail => ({ field, code, message })
