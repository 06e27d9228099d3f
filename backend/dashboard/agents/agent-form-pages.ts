import { boundedText } from '@outdial/contract'
import { agentTexts } from '@outdial/contract'
import * as z from 'zod'
import { createAgent, editAgent } from '../../agents/agents.ts'
import { defineForm, redirectTo, template } from '../page/define-page.ts'
import { type FormFrame, type FormState, formText, languageChoices, toFormTexts } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { getAgent } from './agent-queries.ts'

interface Values {
  name: string
  language: string
  greeting: string
  /** Separated by commas. */
  variables: string
}

const formTexts = toFormTexts(agentTexts)

interface FormData extends FormFrame {
  values: Values
  languages: { value: string; label: string }[]
  placeholders: Placeholder[]
  text: typeof formTexts
}

const agentFormView = template<FormData>('dashboard/agents/agent-form-page')

const text = formText.default('')
const Fields = z.object({ name: text, language: formText.optional(), greeting: text, variables: text })

/** In a URL. The longest greeting and the longest list of variables are shorter. */
const maxPreviewLength = 4_000

/** The fields as typed so far. The page sends them to list the names in the greeting. */
const PreviewQuery = z.object({
  greeting: boundedText(maxPreviewLength).optional().catch(undefined),
  variables: boundedText(maxPreviewLength).optional().catch(undefined),
})

type PreviewFields = z.output<typeof PreviewQuery>

const toAgentInput = (fields: z.output<typeof Fields>) => ({
  ...fields,
  variables: splitNames(fields.variables),
})

function toFormData(
  frame: FormFrame,
  values: Values,
  query: PreviewFields,
  { submitted, isInvalid }: FormState,
) {
  const submittedValue = (name: 'greeting' | 'variables') => [submitted[name] ?? ''].flat()[0] ?? ''
  const shownValue = (name: 'greeting' | 'variables') =>
    query[name] ?? (isInvalid ? submittedValue(name) : query.greeting === undefined ? values[name] : '')
  const placeholders = findPlaceholders(shownValue('greeting'), splitNames(shownValue('variables')))
  return { ...frame, values, languages: languageChoices(values.language), placeholders, text: formTexts }
}

export const newAgentPage = defineForm({
  query: PreviewQuery,
  form: Fields,
  show: async (_, { query }, state) => {
    const values = { name: '', language: 'en-US', greeting: '', variables: '' }
    const frame = { back: { path: '/agents', label: 'Agents' }, submitLabel: 'Create draft' }
    return agentFormView('New agent', toFormData(frame, values, query, state))
  },
  submit: async (tx, context, fields) => {
    const { id } = await createAgent(tx, context.workspace.id, {
      ...toAgentInput(fields),
      status: 'draft',
    })
    return redirectTo(
      pathTo(context, `/agents/${id}`),
      'Draft created. Assign tools, then publish the agent to use it in campaigns.',
    )
  },
})

export const editAgentPage = defineForm({
  params: IdParams,
  query: PreviewQuery,
  form: Fields,
  show: async (deps, { workspace, params: { id }, query }, state) => {
    const agent = await getAgent(deps, workspace.id, id)
    const { name, language, greeting } = agent
    const values = { name, language, greeting, variables: agent.variables.join(', ') }
    const frame = { back: { path: `/agents/${id}`, label: name }, submitLabel: 'Save' }
    return agentFormView(`Edit ${name}`, toFormData(frame, values, query, state))
  },
  loadEdited: async (tx, { workspace, params: { id } }) => {
    const { name, language, greeting, variables } = await getAgent(tx, workspace.id, id)
    return { name, language, greeting, variables }
  },
  submit: async (tx, context, fields) => {
    await editAgent(tx, context.workspace.id, context.params.id, toAgentInput(fields))
    return redirectTo(
      pathTo(context, `/agents/${context.params.id}`),
      'Agent saved. New calls use the changes.',
    )
  },
})

/** Names that every greeting can use in addition to the agent's variables. The agent runtime fills them in. */
const commonPlaceholders = new Map([
  ['first_name', "the contact's first name"],
  ['last_name', "the contact's last name"],
  ['name', 'the first name, or else the last name'],
  ['agent', "the agent's name"],
  ['campaign', "the campaign's name"],
  ['topic', "the contact's product or topic, or else “your request”"],
])

/** A name in double braces, and what the agent says instead. */
interface Placeholder {
  name: string
  meaning: string
  isKnown: boolean
}

/** Returns the {{names}} in a greeting without duplicates, in order of first use. */
function findPlaceholders(greeting: string, variables: readonly string[]): Placeholder[] {
  const names = [...greeting.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)
  return [...new Set(names)].map((name) => {
    const isVariable = variables.includes(name)
    const meaning = isVariable ? "the contact's value for this variable" : commonPlaceholders.get(name)
    return {
      name,
      meaning: meaning ?? "not listed under Variables, so Zapier doesn't show it",
      isKnown: meaning !== undefined,
    }
  })
}

/** Splits a list of names at commas, semicolons, and whitespace. */
const splitNames = (list: string): string[] => list.split(/[\s,;]+/).filter(Boolean)
