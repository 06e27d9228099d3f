import * as z from 'zod'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { findRuleIssues, rule, ruleIssue, validateByRules } from '../../platform/core/validate-rules.ts'
import type { AgentStatus } from '../../platform/db/schema.ts'
import { describePlaceholderIssues } from '../calls/greeting.ts'

/** Limits lengths in characters. RFC 5646, section 4.4.1, asks to allow 35 for a language tag, and `Intl` takes long for more. */
export const maxLengths = { name: 200, language: 35, greeting: 2000, variable: 64 }
export const maxVariables = 50

const invalidLanguageMessage = "This isn't a language tag. Enter one, for example en-US or de."

/** Writes a language tag in its canonical form (RFC 5646, section 4.5). */
const Language = z
  .string()
  .refine((tag) => tag.length <= maxLengths.language, rule('invalid_language', invalidLanguageMessage))
  .transform((tag, context) => {
    try {
      return Intl.getCanonicalLocales(tag)[0]
    } catch {
      context.addIssue(ruleIssue('invalid_language', invalidLanguageMessage))
      return z.NEVER
    }
  })

const tooLongRule = (field: 'name' | 'greeting') =>
  rule('too_long', `The ${field} can have at most ${maxLengths[field]} characters. Shorten it.`)

/**
 * Checks whether a script can use the name as a variable, as in `{{roof_type}}`: letters without accents, digits, and
 * `_`, up to the length limit.
 */
const isVariableName = (name: string): boolean =>
  name.length <= maxLengths.variable && /^\w+$/.test(name) && name !== '__proto__'

const invalidVariableIssue = (name: string) =>
  ruleIssue(
    'invalid_name',
    `“${name.slice(0, maxLengths.variable)}” isn't a valid variable name. Use letters without accents, digits, and _, for example roof_type.`,
  )

const tooManyVariablesIssue = ruleIssue(
  'too_big',
  `An agent can have at most ${maxVariables} variables. Remove some.`,
)

const VariableNames = z
  .array(z.string().trim())
  .transform((names) => [...new Set(names.filter(Boolean))])
  .superRefine((names, context) => {
    for (const name of names.filter((each) => !isVariableName(each))) {
      context.addIssue(invalidVariableIssue(name))
    }
    if (names.length > maxVariables) context.addIssue(tooManyVariablesIssue)
  })

const AgentFields = z.object({
  language: Language.optional(),
  name: z
    .string()
    .trim()
    .refine((name) => name !== '', rule('required', 'Enter a name.'))
    .refine((name) => name.length <= maxLengths.name, tooLongRule('name')),
  greeting: z
    .string()
    .trim()
    .refine((greeting) => greeting.length <= maxLengths.greeting, tooLongRule('greeting')),
  variables: VariableNames,
})

/** The fields of an agent that can be edited; its status isn't one. `language` is en-US by default. */
export type AgentInput = z.input<typeof AgentFields>

/**
 * Trims the texts of an agent, canonicalizes its language, and removes repeated and empty variables.
 *
 * @param status a Live agent would say braces, or nothing, for a placeholder that can't be filled, so it can't have any
 * @throws {ApiError} validation_failed with a detail for each issue
 */
export function validateAgent(input: AgentInput, status: AgentStatus) {
  const variables = input.variables.map((name) => name.trim())
  const message = status === 'live' ? describePlaceholderIssues(input.greeting, variables) : null
  if (message === null) return validateByRules(AgentFields, input)
  const details = [...findRuleIssues(AgentFields, input), placeholderIssue(message)]
  throw new FormError('validation_failed', details[0]?.message ?? '', { details })
}

const placeholderIssue = (message: string) => ({ field: 'greeting', code: 'invalid_placeholder', message })

/** @throws {ApiError} validation_failed if an agent with this greeting can't be Live */
export function requireGoodPlaceholders({
  greeting,
  variables,
}: Pick<AgentInput, 'greeting' | 'variables'>): void {
  const message = describePlaceholderIssues(greeting, variables)
  if (message === null) return
  const { field, code } = placeholderIssue(message)
  throw invalidField(field, code, `The greeting has to be corrected first. ${message}`)
}
