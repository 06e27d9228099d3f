import * as z from 'zod'
import { createAgent } from '../../agents/create.ts'
import { editAgent } from '../../agents/edit.ts'
import { getAgent } from '../../agents/get.ts'
import type { Deps } from '../../deps.ts'
import type { FormState } from '../page/forms.ts'
import { form } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { type FoundName, namesIn, splitNames } from './greeting.ts'
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
  found: FoundName[]
}

const page = template<FormData>('dashboard/agents/agent-form-page')

const text = z.string().default('')
const Fields = z.object({ name: text, language: z.string().optional(), greeting: text, variables: text })

/** What is being typed: the page asks which names stand in it. */
const Typing = z.object({
  greeting: z.string().optional().catch(undefined),
  variables: z.string().optional().catch(undefined),
})

type Typed = z.output<typeof Typing>

const inputOf = (fields: z.output<typeof Fields>) => ({
  ...fields,
  variables: splitNames(fields.variables),
})

function dataOf(agent: FormData['agent'], values: Values, query: Typed, { typed, isRefused }: FormState) {
  const sent = (name: 'greeting' | 'variables') => [typed[name] ?? ''].flat()[0] ?? ''
  const shown = (name: 'greeting' | 'variables') =>
    query[name] ?? (isRefused ? sent(name) : query.greeting === undefined ? values[name] : '')
  const found = namesIn(shown('greeting'), splitNames(shown('variables')))
  return { agent, values, languages: languageChoices(values.language), found }
}

export const newPage = () =>
  form({
    path: '/agents/new',
    query: Typing,
    form: Fields,
    show: async ({ query }, state) => {
      const values = { name: '', language: 'en-US', greeting: '', variables: '' }
      return page('New agent', dataOf(null, values, query, state))
    },
    submit: async (own, visit, fields) => {
      const { id } = await createAgent(own)(visit.workspace.id, { ...inputOf(fields), status: 'draft' })
      return done(
        pathTo(visit, `/agents/${id}`),
        'The agent is a draft. Give it tools, then publish it: campaigns can call with it from then on.',
      )
    },
  })

export const editPage = (deps: Deps) =>
  form({
    path: '/agents/:id/edit',
    query: Typing,
    form: Fields,
    show: async ({ workspace, id, query }, state) => {
      const agent = await getAgent(deps)({ workspaceId: workspace.id, agentId: id })
      const { name, language, greeting } = agent
      const values = { name, language, greeting, variables: agent.variables.join(', ') }
      return page(`Edit ${name}`, dataOf({ id }, values, query, state))
    },
    edited: async (own, { workspace, id }) => {
      const { name, language, greeting, variables } = await getAgent(own)({
        workspaceId: workspace.id,
        agentId: id,
      })
      return { name, language, greeting, variables }
    },
    submit: async (own, visit, fields) => {
      await editAgent(own)({ workspaceId: visit.workspace.id, agentId: visit.id }, inputOf(fields))
      return done(
        pathTo(visit, `/agents/${visit.id}`),
        'Saved. Calls that begin from now on are made with it.',
      )
    },
  })
