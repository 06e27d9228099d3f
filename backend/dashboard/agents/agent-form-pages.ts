import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { toActor } from '../../platform/core/actor.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { createAgent, saveAgent } from '../../queue/agents/agents.ts'
import { newAgentValues } from '../../queue/agents/validate-agent.ts'
import { type GreetingNames, listGreetingNames } from '../../queue/calls/greeting.ts'
import { defineForm, redirectTo } from '../page/define-page.ts'
import { anyField, type FormState, formText } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { agentFormView } from './agent-form-view.ts'
import { parsePhrases } from './agent-phrases.ts'
import { getNewestVersion } from './agent-queries.ts'
import { parseResults } from './agent-results-fields.ts'
import { type FieldChange, findChanges } from './version-changes.ts'

const text = formText.default('')

/** Accepts more characters than instructions may have, so that the operation reports an issue if they're too long. */
const Instructions = boundedText(100_000).default('')

const NewFields = z.object({ name: text, greeting: text, instructions: Instructions })

const EditFields = z
  .object({
    name: text,
    language: formText.optional(),
    greeting: text,
    variables: text,
    instructions: Instructions,
    speaks_first: z.enum(['agent', 'contact']).catch('agent'),
    goal: text,
    closing_line: text,
    max_minutes: text,
    ai_disclosure: formText.optional(),
    model: formText.optional(),
  })
  .catchall(anyField())

/** Maximum length of a field in the preview's URL. The longest valid greeting and list of variables are shorter. */
const maxPreviewLength = 4_000

/** The fields as typed so far. The page sends them to get the list of the names in the greeting. */
const PreviewQuery = z.object({
  greeting: boundedText(maxPreviewLength).optional().catch(undefined),
  variables: boundedText(maxPreviewLength).optional().catch(undefined),
})

type PreviewFields = z.output<typeof PreviewQuery>

/** Splits a list of names at commas, semicolons, and whitespace. */
const splitNames = (list: string): string[] => list.split(/[\s,;]+/).filter(Boolean)

/** Returns a new agent's variables: the names in its texts that aren't built in. */
const findVariables = (...texts: readonly string[]): string[] => [
  ...new Set(
    texts.flatMap((each) =>
      listGreetingNames(each, []).names.flatMap(({ name, meaning }) => (meaning === null ? [name] : [])),
    ),
  ),
]

function findShownNames(
  saved: Pick<AgentValues, 'greeting' | 'variables'>,
  query: PreviewFields,
  { submitted, isInvalid }: FormState,
): GreetingNames {
  const submittedText = (name: 'greeting' | 'variables') => [submitted[name] ?? ''].flat()[0] ?? ''
  const savedTexts = { greeting: saved.greeting, variables: saved.variables.join(', ') }
  const shown = (name: 'greeting' | 'variables') =>
    query[name] ?? (isInvalid ? submittedText(name) : query.greeting === undefined ? savedTexts[name] : '')
  return listGreetingNames(shown('greeting'), splitNames(shown('variables')))
}

export const newAgentPage = defineForm({
  query: PreviewQuery,
  form: NewFields,
  show: (_, { query }, state) => {
    const { names, ...found } = findShownNames(newAgentValues, query, state)
    // A new agent has no list of variables yet, so each name that isn't built in becomes a variable.
    const meaning = "the contact's value for this variable"
    return Promise.resolve(
      agentFormView('New agent', {
        back: { path: '/agents', label: 'Agents' },
        submitLabel: 'Create draft',
        values: newAgentValues,
        found: { ...found, names: names.map((name) => ({ ...name, meaning: name.meaning ?? meaning })) },
        models: null,
        overwritten: null,
        isNew: true,
      }),
    )
  },
  submit: async (tx, context, fields) => {
    const variables = findVariables(fields.greeting, fields.instructions)
    const agent = { ...fields, variables, status: 'draft' } as const
    const { id } = await createAgent(tx, context.workspace.id, agent, toActor(context.caller))
    return redirectTo(
      pathTo(context, `/agents/${id}`),
      'Draft created. Assign tools, then publish the agent to use it in campaigns.',
    )
  },
})

export const editAgentPage = defineForm({
  params: IdParams,
  query: PreviewQuery,
  form: EditFields,
  show: async (deps, { workspace, params: { id }, query }, state) => {
    const values = await getNewestVersion(deps, workspace.id, id)
    return agentFormView(`Edit ${values.name}`, {
      back: { path: `/agents/${id}`, label: values.name },
      submitLabel: 'Save',
      values,
      found: findShownNames(values, query, state),
      models: deps.model?.models ?? null,
      overwritten: state.isConflict ? findOverwritten(values, state) : null,
      isNew: false,
    })
  },
  loadEdited: (tx, { workspace, params: { id } }) => getNewestVersion(tx, workspace.id, id),
  submit: async (tx, context, fields) => {
    const { isPublished } = await saveAgent(
      tx,
      context.workspace.id,
      context.params.id,
      toAgentInput(fields),
      toActor(context.caller),
    )
    return redirectTo(
      pathTo(context, `/agents/${context.params.id}`),
      isPublished ? 'Agent saved.' : 'Agent saved. Calls use this version when you publish it.',
    )
  },
})

/** Lists what saving would change in the version that someone else saved after the form was opened. */
function findOverwritten(newest: AgentValues, { submitted }: FormState): FieldChange[] {
  const { language = newest.language, ...input } = toAgentInput(EditFields.parse(submitted))
  return findChanges(newest, { ...newest, ...input, language })
}

function toAgentInput({
  name,
  language,
  greeting,
  variables,
  instructions,
  speaks_first,
  goal,
  closing_line,
  max_minutes,
  ai_disclosure,
  model,
  ...rows
}: z.output<typeof EditFields>) {
  return {
    ...{ name, language, greeting, instructions, speaks_first, goal, closing_line },
    // Browsers don't send a box that isn't checked.
    ai_disclosure: ai_disclosure !== undefined,
    variables: splitNames(variables),
    // A text that isn't a number becomes NaN, which the operation rejects.
    max_minutes: max_minutes.trim() === '' ? null : Number(max_minutes),
    results: parseResults(rows),
    phrases: parsePhrases(rows),
    // The form has the field `model` only if a language model is set up.
    ...(model !== undefined && { model: model.trim() || null }),
  }
}
