import { AgentResult } from '@outdial/contract'
import * as z from 'zod'
import { FormError } from '../../platform/core/form-errors.ts'
import { rule, ruleIssue, validateByRules } from '../../platform/core/validate-rules.ts'
import { describePlaceholderIssues } from '../calls/greeting.ts'
import type { AgentValues } from './agent-values.ts'

/**
 * Maximum lengths in characters. RFC 5646, section 4.4.1, asks software to allow 35 for a language tag, and `Intl` is slow for
 * longer ones.
 */
export const maxLengths = {
  name: 200,
  language: 35,
  greeting: 2_000,
  variable: 64,
  instructions: 20_000,
  goal: 300,
  closing_line: 300,
  phrase: 300,
  model: 200,
  resultName: 40,
  resultDescription: 300,
  choice: 80,
}
export const maxVariables = 50
export const maxResults = 30
export const maxChoices = 20

/** The range and the default of an agent's `max_minutes`. */
export const minuteLimits = { min: 1, max: 25, default: 10 }

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

const fieldNames = {
  name: 'name',
  greeting: 'greeting',
  instructions: 'instructions',
  goal: 'goal',
  closing_line: 'closing line',
  phrase: 'sentence',
  model: 'model',
}

const tooLongRule = (field: keyof typeof fieldNames) =>
  rule(
    'too_long',
    `The ${fieldNames[field]} can have at most ${maxLengths[field].toLocaleString('en-US')} characters. Shorten ${field === 'instructions' ? 'them' : 'it'}.`,
  )

const boundedField = (field: keyof typeof fieldNames) =>
  z
    .string()
    .trim()
    .refine((text) => text.length <= maxLengths[field], tooLongRule(field))

/**
 * Checks whether a script can use the name as a variable, as in `{{roof_type}}`: it has only letters without accents, digits,
 * and `_`, isn't too long, and isn't `__proto__`.
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

/** The name of a result is a key in JSON, and a part of a field's key in Zapier. */
const resultNamePattern = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/

const Results = z
  .array(
    AgentResult.extend({
      name: z.string().trim(),
      description: z.string().trim(),
      choices: z.array(z.string().trim()).transform((choices) => [...new Set(choices.filter(Boolean))]),
    }),
  )
  .superRefine((results, context) => {
    if (results.length > maxResults)
      context.addIssue(ruleIssue('too_big', `An agent can have at most ${maxResults} results. Remove some.`))
    for (const message of results.flatMap((result, index) =>
      findResultIssues(result, results.slice(0, index)),
    ))
      context.addIssue(ruleIssue('invalid_result', message))
  })

function findResultIssues(
  { name, type, description, choices }: AgentResult,
  before: readonly AgentResult[],
): string[] {
  const shown = name.slice(0, maxLengths.resultName)
  if (name === '') return ['A result has no name. Enter one, for example “Appointment day”.']
  if (name.length > maxLengths.resultName || !resultNamePattern.test(name))
    return [
      `“${shown}” isn't a name for a result. Start with a letter, and use at most ${maxLengths.resultName} letters, digits, and spaces. Letters can't have accents.`,
    ]
  if (before.some((other) => other.name === name))
    return [`Two results are named ${name}. Rename or remove one.`]
  return [
    ...(description.length > maxLengths.resultDescription
      ? [
          `The description of ${name} can have at most ${maxLengths.resultDescription} characters. Shorten it.`,
        ]
      : []),
    ...(type === 'choice' && choices.length < 2 ? [`Enter at least two choices for ${name}.`] : []),
    ...(choices.length > maxChoices ? [`${name} can have at most ${maxChoices} choices. Remove some.`] : []),
    ...(choices.some((choice) => choice.length > maxLengths.choice)
      ? [`A choice of ${name} can have at most ${maxLengths.choice} characters. Shorten it.`]
      : []),
  ]
}

/** Converts what a person typed to the name of a result: “Appointment day” becomes appointment_day. */
export const toResultName = (label: string): string =>
  label
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')

/** Drops blank phrases, because they don't replace anything. */
const PhraseTexts = z
  .record(z.string(), boundedField('phrase'))
  .transform((phrases) => Object.fromEntries(Object.entries(phrases).filter(([, text]) => text !== '')))

const minutesMessage = `Enter whole minutes from ${minuteLimits.min} to ${minuteLimits.max}.`

const AgentFields = z.object({
  language: Language,
  name: z
    .string()
    .trim()
    .refine((name) => name !== '', rule('required', 'Enter a name.'))
    .refine((name) => name.length <= maxLengths.name, tooLongRule('name')),
  greeting: boundedField('greeting'),
  variables: VariableNames,
  instructions: boundedField('instructions'),
  speaks_first: z.enum(['agent', 'contact']),
  goal: boundedField('goal'),
  results: Results,
  model: boundedField('model').nullable(),
  max_minutes: z
    .number()
    .refine(
      (minutes) => Number.isInteger(minutes) && minutes >= minuteLimits.min && minutes <= minuteLimits.max,
      rule('invalid_number', minutesMessage),
    )
    .nullable(),
  closing_line: boundedField('closing_line'),
  ai_disclosure: z.boolean(),
  phrases: PhraseTexts,
})

export const newAgentValues: AgentValues = {
  name: '',
  language: 'en-US',
  greeting: '',
  variables: [],
  instructions: '',
  speaks_first: 'agent',
  goal: '',
  results: [],
  model: null,
  max_minutes: minuteLimits.default,
  closing_line: '',
  ai_disclosure: true,
  phrases: {},
}

/** The editable fields of an agent. Its status isn't one of them. */
export type AgentInput = Partial<Omit<AgentValues, 'name' | 'language'>> & {
  name: string
  /** By default, the language stays the same. A new agent gets en-US. */
  language?: string | undefined
}

/**
 * Trims the texts of an agent, canonicalizes its language, and removes repeated and empty variables.
 *
 * @param before the values of fields that aren't in the input
 * @throws {ApiError} validation_failed with a detail for each issue
 */
export function validateAgent(input: AgentInput, before = newAgentValues): AgentValues {
  const { language, ...values } = validateByRules(AgentFields, {
    ...before,
    ...input,
    language: input.language ?? before.language,
  })
  return { ...values, language: language ?? before.language }
}

/** Returns the texts of an agent that can have placeholders, with the names that messages use for them. */
const listPlaceholderTexts = ({
  greeting,
  instructions,
  closing_line,
  phrases,
  goal,
  results,
}: AgentValues) => [
  { field: 'greeting', name: 'greeting', text: greeting },
  { field: 'instructions', name: 'instructions', text: instructions },
  { field: 'closing_line', name: 'closing line', text: closing_line },
  { field: 'phrases', name: 'sentences', text: Object.values(phrases).join('\n') },
  { field: 'goal', name: 'goal', text: goal },
  { field: 'results', name: 'results', text: results.map(({ description }) => description).join('\n') },
]

/** Lists the issues with an agent's placeholders. In place of an invalid one, the agent would say braces, or nothing. */
export const findPlaceholderIssues = (values: AgentValues) =>
  listPlaceholderTexts(values).flatMap(({ field, name, text }) => {
    const message = describePlaceholderIssues(text, values.variables)
    return message === null ? [] : [{ field, name, message }]
  })

/** @throws {ApiError} validation_failed if calls can't use these values */
export function requirePublishable(values: AgentValues): void {
  const details = findPlaceholderIssues(values).map(({ field, name, message }) => ({
    field,
    code: 'invalid_placeholder',
    message: `The ${name} ${name.endsWith('s') ? 'have' : 'has'} to be corrected first. ${message}`,
  }))
  const [first] = details
  if (first !== undefined) throw new FormError('validation_failed', first.message, { details })
}
