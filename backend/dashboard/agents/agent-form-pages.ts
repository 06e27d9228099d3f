import * as z from 'zod'
import { createAgent } from '../../agents/create.ts'
import { editAgent } from '../../agents/edit.ts'
import { getAgent } from '../../agents/get.ts'
import type { Deps } from '../../deps.ts'
import type { FormState } from '../page/forms.ts'
import { formRoute } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { type Placeholder, findPlaceholders, splitNames } from './greeting.ts'
import { languageChoices } from './languages.ts'

interface Values {
  name: string
  language: string
  greeting: string
  /** By commas. */
  variables: string
}

interface FormData {
  /** Null for a new agent. */
  agent: { id: number } | null
  values: Values
  languages: { value: string; label: string }[]
  placeholders: Placeholder[]
}

const agentFormView = template<FormData>('dashboard/agents/agent-form-page')

const text = z.string().default('')
const Fields = z.object({ name: text, language: z.string().optional(), greeting: text, variables: text })

/** What is being typed: the page asks which names stand in it. */
const PreviewQuery = z.object({
  greeting: z.string().optional().catch(undefined),
  variables: z.string().optional().catch(undefined),
})

type PreviewFields = z.output<typeof PreviewQuery>

const toAgentInput = (fields: z.output<typeof Fields>) => ({
  ...fields,
  variables: splitNames(fields.variables),
})

function toFormData(
  agent: FormData['agent'],
  values: Values,
  query: PreviewFields,
  { submitted, isInvalid }: FormState,
) {
  const submittedValue = (name: 'greeting' | 'variables') => [submitted[name] ?? ''].flat()[0] ?? ''
  const shownValue = (name: 'greeting' | 'variables') =>
    query[name] ?? (isInvalid ? submittedValue(name) : query.greeting === undefined ? values[name] : '')
  const placeholders = findPlaceholders(shownValue('greeting'), splitNames(shownValue('variables')))
  return { agent, values, languages: languageChoices(values.language), placeholders }
}

export const newAgentPage = () =>
  formRoute({
    path: '/agents/new',
    query: PreviewQuery,
    form: Fields,
    show: async ({ query }, state) => {
      const values = { name: '', language: 'en-US', greeting: '', variables: '' }
      return agentFormView('New agent', toFormData(null, values, query, state))
    },
    submit: async (tx, context, fields) => {
      const { id } = await createAgent(tx)(context.workspace.id, { ...toAgentInput(fields), status: 'draft' })
      return redirectTo(
        pathTo(context, `/agents/${id}`),
        'The agent is a draft. Give it tools, then publish it: campaigns can call with it from then on.',
      )
    },
  })

export const editAgentPage = (deps: Deps) =>
  formRoute({
    path: '/agents/:id/edit',
    query: PreviewQuery,
    form: Fields,
    show: async ({ workspace, id, query }, state) => {
      const agent = await getAgent(deps)({ workspaceId: workspace.id, agentId: id })
      const { name, language, greeting } = agent
      const values = { name, language, greeting, variables: agent.variables.join(', ') }
      return agentFormView(`Edit ${name}`, toFormData({ id }, values, query, state))
    },
    loadEdited: async (tx, { workspace, id }) => {
      const { name, language, greeting, variables } = await getAgent(tx)({
        workspaceId: workspace.id,
        agentId: id,
      })
      return { name, language, greeting, variables }
    },
    submit: async (tx, context, fields) => {
      await editAgent(tx)({ workspaceId: context.workspace.id, agentId: context.id }, toAgentInput(fields))
      return redirectTo(
        pathTo(context, `/agents/${context.id}`),
        'Saved. Calls that begin from now on are made with it.',
      )
    },
  })
