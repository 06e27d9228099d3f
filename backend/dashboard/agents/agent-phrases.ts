import { getPhrases, type PhraseName } from '../../calling/conversation/phrases/index.ts'
import { toRecord } from '../../platform/core/records.ts'
import { languageName } from '../../platform/views/format.ts'
import { field, type FormModel, groupIssue } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { maxLengths } from '../../queue/agents/validate-agent.ts'
import { trimmedField } from '../page/forms.ts'

/** The sentences that members can edit, and when the agent says each of them. The greeting has a separate field. */
const editedPhrases: Record<Exclude<PhraseName, 'defaultGreeting'>, string> = {
  aiDisclosure: 'AI disclosure',
  thinkingFiller: 'While the model thinks',
  toolFiller: 'While a tool runs',
  notUnderstood: 'When the model says nothing',
  silenceQuestion: 'After 8 seconds of silence',
  silenceGoodbye: 'After 20 seconds of silence',
  optedOut: 'After an opt-out',
  goodbye: 'Goodbye',
  timeUp: 'At the maximum minutes',
  technicalTrouble: 'If no model answers',
}

const names = Object.keys(editedPhrases) as (keyof typeof editedPhrases)[]

const toFieldName = (name: string): string => `phrases.${name}`

/** Shows a field for each sentence that the agent says without the model. A blank field shows Outdial's sentence. */
export function phraseFields(form: FormModel, { language, phrases: saved }: AgentValues): Html {
  const { phrases, missing } = getPhrases(language)
  const isOpen = 'phrases' in form.issues || missing.length > 0 || Object.keys(saved).length > 0
  return html`
    <details${attributes({ open: isOpen })}>
      <summary>Sentences that Outdial says in chats</summary>
      <div class="stack">
        ${groupIssue({ form, name: 'phrases', label: 'Sentences' })}
        <p class="hint">
          ${
            missing.length > 0
              ? `Outdial has none in ${languageName(language)}. Chats use the English ones until you write your own. `
              : 'Blank fields use the sentence that they show. '
          }Names in double braces work here, too. Goodbye and the maximum minutes use the closing line if there is one.
        </p>
        ${names.map((name) =>
          field({
            form,
            name: toFieldName(name),
            label: editedPhrases[name],
            value: saved[name] ?? '',
            maxlength: maxLengths.phrase,
            placeholder: phrases[name],
          }),
        )}
      </div>
    </details>
  `
}

/** Returns the sentences from the form's fields. If one is blank, Outdial's sentence is used. */
export const parsePhrases = (raw: Readonly<Record<string, unknown>>): Record<string, string> =>
  toRecord(names, (name) => trimmedField(raw, toFieldName(name)))

/** Formats sentences, one per line, each after the label that says when the agent says it. */
export const formatPhrases = (phrases: AgentValues['phrases']): string =>
  names.flatMap((name) => (phrases[name] ? [`${editedPhrases[name]}: ${phrases[name]}`] : [])).join('\n')
