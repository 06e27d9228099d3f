import { boundedText } from '@outdial/contract'
import { agentTexts } from '@outdial/contract'
import * as z from 'zod'
import { field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { createAgent, editAgent } from '../../queue/agents/agents.ts'
import {
  builtIns,
  defaultGreeting,
  type GreetingNames,
  listGreetingNames,
} from '../../queue/calls/greeting.ts'
import { defineForm, defineView, redirectTo } from '../page/define-page.ts'
import {
  type FormFrame,
  type FormState,
  formText,
  languageChoices,
  toFormPath,
  toFormTexts,
} from '../page/forms.ts'
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
}

const agentFormView = defineView(
  (
    { ui, title, form, here },
    { back, languages, greetingHint, found, submitLabel, values }: FormData,
  ) => html`
    <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
    <h1>${title}</h1>
    ${pageForm(
      form,
      { class: 'stack form', novalidate: true },
      html`
        ${formMessage(form)}
        <section class="panel" aria-labelledby="who">
          <h2 id="who">Identity</h2>
          <div class="field-row">
            ${field({
              form,
              ...formTexts.name,
              name: 'name',
              value: values.name,
              required: true,
              maxlength: 200,
            })}
            ${field({
              form,
              ...formTexts.language,
              name: 'language',
              value: values.language,
              options: languages,
              required: true,
            })}
          </div>
        </section>
        <section class="panel" aria-labelledby="says">
          <h2 id="says">Conversation</h2>
          <div
            class="stack"
            hx-get="${toFormPath(here)}"
            hx-trigger="input delay:400ms"
            hx-headers="Outdial-Aside:true"
            hx-include="#f-greeting, #f-variables"
            hx-sync="this:replace"
            hx-target="#found"
            hx-select="#found"
            hx-swap="outerMorph ignoreTitle:true"
          >
            ${field({
              form,
              name: 'greeting',
              label: 'Greeting',
              value: values.greeting,
              rows: 3,
              maxlength: 2000,
              placeholder:
                "Hi {{first_name}}, this is {{agent}}. I'm calling about {{topic}}. Do you have a minute?",
              hint: greetingHint,
            })}
            ${field({
              form,
              ...formTexts.variables,
              name: 'variables',
              value: values.variables,
              placeholder: 'product, appointment_day',
            })}
          </div>
          <div id="found" class="found" aria-live="polite">
            ${
              found.names.length + found.malformed.length + found.blankFallbacks.length === 0
                ? html`<p class="hint">The greeting uses no names in double braces yet.</p>`
                : html`
                  <h3>Used in the greeting</h3>
                  <ul class="found-names">
                    ${found.names.map(
                      ({ name, fallback, meaning }) => html`
                        <li>
                          <code>{{${name}}}</code>
                          ${
                            meaning === null
                              ? html`<span class="found-unknown">not listed under Variables. Add it there, or correct the name.</span>`
                              : html`<span>${meaning}${fallback !== null && html`, or else “${fallback}”`}</span>`
                          }
                        </li>
                      `,
                    )}
                    ${found.blankFallbacks.map(
                      (written) => html`
                        <li><code>${written}</code> <span class="found-unknown">blank fallback. Write one after the “|”, or remove the “|”.</span></li>
                      `,
                    )}
                    ${found.malformed.map(
                      (written) => html`
                        <li><code>${written}</code> <span class="found-unknown">not a placeholder. Write a name in two braces on each side.</span></li>
                      `,
                    )}
                  </ul>
                `
            }
          </div>
        </section>
        <div class="form-actions">
          <button class="primary">${submitLabel}</button>
          <a class="button quiet" href="${ui.to(back.path)}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const text = formText.default('')
const Fields = z.object({ name: text, language: formText.optional(), greeting: text, variables: text })

/** Longest text of a field in the preview's URL. The longest greeting and the longest list of variables are shorter. */
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
