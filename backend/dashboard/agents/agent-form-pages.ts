import { boundedText } from '@outdial/contract'
import { agentTexts } from '@outdial/contract'
import * as z from 'zod'
import { createAgent, editAgent } from '../../agents/agents.ts'
import { builtIns, defaultGreeting, type GreetingNames, listGreetingNames } from '../../calls/greeting.ts'
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
  found: GreetingNames
  greetingHint: string
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
  return {
    ...frame,
    values,
    languages: languageChoices(values.language),
    found: listGreetingNames(shownValue('greeting'), splitNames(shownValue('variables'))),
    greetingHint,
    text: formTexts,
  }
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

const builtInNames = [...builtIns.keys()].map((name) => `{{${name}}}`).join(', ')

const greetingHint =
  `Names in double braces are replaced in each call: ${builtInNames}, and the variables below. If there is no value, the name is ` +
  `left out, or a fallback is said: {{first_name|there}}. Leave blank for “${defaultGreeting}”`

/** Splits a list of names at commas, semicolons, and whitespace. */
const splitNames = (list: string): string[] => list.split(/[\s,;]+/).filter(Boolean)
