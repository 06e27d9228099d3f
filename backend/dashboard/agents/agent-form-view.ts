import { agentTexts } from '@outdial/contract'
import type { LlmSettings } from '../../config.ts'
import { checks, field, formMessage, type FormModel, pageForm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { maxLengths, minuteLimits } from '../../queue/agents/validate-agent.ts'
import { builtIns, defaultGreeting, type GreetingNames } from '../../queue/calls/greeting.ts'
import { modelChoices } from '../chats/chat-model.ts'
import { defineView } from '../page/define-page.ts'
import { type FormFrame, languageChoices, toFormPath, toFormTexts } from '../page/forms.ts'
import { phraseFields } from './agent-phrases.ts'
import { resultFields } from './agent-results-fields.ts'
import { instructionExamples } from './instruction-examples.ts'
import { changeList, type FieldChange } from './version-changes.ts'

const formTexts = toFormTexts(agentTexts)

const builtInNames = [...builtIns.keys()].map((name) => `{{${name}}}`).join(', ')

const greetingHint =
  `Names in double braces are replaced in each call: ${builtInNames}, and variables of the contact. If there is no value, the name is ` +
  `left out, or a fallback is said: {{first_name|there}}. Leave blank for “${defaultGreeting}”`

interface FormData extends FormFrame {
  values: AgentValues
  found: GreetingNames
  /** The models to choose from; null if no language model is set up. */
  models: LlmSettings['models'] | null
  /** The changes that saving would make to a version that someone else saved in the meantime; null if there's no such version. */
  overwritten: readonly FieldChange[] | null
  /** True for a new agent. The form then asks only for what's needed to try the agent. */
  isNew: boolean
}

export const agentFormView = defineView(
  (
    { ui, title, form, here },
    { back, found, models, overwritten, submitLabel, values, isNew }: FormData,
  ) => html`
    <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
    <h1>${title}</h1>
    ${pageForm(
      form,
      { class: 'stack form', novalidate: true },
      html`
        ${formMessage(form)}
        ${
          overwritten !== null &&
          html`
            <section class="panel" aria-labelledby="overwritten">
              <h2 id="overwritten">What saving again would change in their version</h2>
              ${overwritten.length === 0 ? html`<p>Nothing: both versions are the same.</p>` : changeList(overwritten)}
            </section>
          `
        }
        <section class="panel" aria-labelledby="who">
          <h2 id="who">Identity</h2>
          <div class="field-row">
            ${field({
              form,
              ...formTexts.name,
              name: 'name',
              value: values.name,
              required: true,
              maxlength: maxLengths.name,
            })}
            ${
              !isNew &&
              field({
                form,
                ...formTexts.language,
                name: 'language',
                value: values.language,
                options: languageChoices(values.language),
                required: true,
              })
            }
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
              maxlength: maxLengths.greeting,
              placeholder:
                "Hi {{first_name}}, this is {{agent}}. I'm calling about {{topic}}. Do you have a minute?",
              hint: greetingHint,
            })}
            ${
              !isNew &&
              field({
                form,
                ...formTexts.variables,
                name: 'variables',
                value: values.variables.join(', '),
                placeholder: 'product, appointment_day',
              })
            }
          </div>
          ${foundNames(found)}
          ${field({
            form,
            name: 'instructions',
            label: 'Instructions',
            value: values.instructions,
            rows: 12,
            maxlength: maxLengths.instructions,
            placeholder:
              'You remind people of their appointment on {{appointment_day}}. Ask whether they are coming. If not, ask which day suits them better.',
            hint: 'What the agent does in the conversation, as you would explain it to a new colleague. Names in double braces work here, too.',
          })}
          ${values.instructions === '' && instructionExamples()}
          ${!isNew && conversationFields(form, values, models)}
        </section>
        ${
          !isNew &&
          html`
            <section class="panel" aria-labelledby="results">
              <h2 id="results">${labels.agent.results}</h2>
              <p class="soft small-text">${agentTexts.results.form ?? ''}</p>
              ${field({
                form,
                name: 'goal',
                label: 'Goal',
                value: values.goal,
                maxlength: maxLengths.goal,
                placeholder: 'The contact said whether they are coming.',
                hint: 'Describes when a call has met its goal. Zaps get the answer as “Goal met”.',
              })}
              ${resultFields(form, values.results)}
            </section>
          `
        }
        <div class="form-actions">
          <button class="primary">${submitLabel}</button>
          <a class="button quiet" href="${ui.to(back.path)}">Cancel</a>
        </div>
      `,
    )}
  `,
)

/** Shows the fields about the conversation. All of them have defaults. */
const conversationFields = (form: FormModel, values: AgentValues, models: FormData['models']): Html => html`
  ${
    models !== null &&
    field({
      form,
      name: 'model',
      label: 'Model',
      value: values.model ?? '',
      options: modelChoices(models, values.model),
      required: true,
      hint: 'The language model that the agent converses through.',
    })
  }
  ${checks({
    form,
    name: 'speaks_first',
    label: 'Who speaks first',
    type: 'radio',
    row: true,
    values: [values.speaks_first],
    options: [
      { value: 'agent', label: 'The agent' },
      { value: 'contact', label: 'The contact' },
    ],
  })}
  ${field({
    form,
    name: 'closing_line',
    label: 'Closing line',
    value: values.closing_line,
    maxlength: maxLengths.closing_line,
    placeholder: 'Thank you for your time, {{first_name}}. Goodbye.',
    hint: 'What the agent says before it ends the call.',
  })}
  ${field({
    form,
    name: 'max_minutes',
    label: 'Maximum minutes',
    value: values.max_minutes ?? '',
    type: 'number',
    min: minuteLimits.min,
    max: minuteLimits.max,
    hint: `The longest conversation, from ${minuteLimits.min} to ${minuteLimits.max} minutes. Leave blank for 30 minutes.`,
  })}
  ${checks({
    form,
    name: 'ai_disclosure',
    label: 'AI disclosure',
    values: values.ai_disclosure ? ['true'] : [],
    options: [
      {
        value: 'true',
        label: 'Say at the beginning that the agent is an AI',
        hint: 'The law requires this in many places, for example in the European Union since August 2026 (AI Act, Article 50(1)). Nothing is said twice if the greeting has the sentence. An agent never denies being an AI.',
      },
    ],
  })}
  ${(models !== null || Object.keys(values.phrases).length > 0) && phraseFields(form, values)}
`

const undeclared = 'not listed under Variables: the value if a contact has one'

/** Lists the names that the greeting uses, and what's wrong with them. */
const foundNames = (found: GreetingNames): Html => html`
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
                    meaning === null && fallback === null
                      ? html`<span class="found-unknown">not listed under Variables. Add it there, or correct the name.</span>`
                      : html`<span>${meaning ?? undeclared}${fallback !== null && html`, or else “${fallback}”`}</span>`
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
`
