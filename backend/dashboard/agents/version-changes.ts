import { diffLines, diffWordsWithSpace } from 'diff'
import { languageName } from '../../platform/views/format.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { formatPhrases } from './agent-phrases.ts'
import { resultTypes } from './agent-results-fields.ts'

/** A part of a text that is in both versions, or only in one. */
interface Part {
  text: string
  in: 'both' | 'before' | 'after'
}

/** A field that differs between two versions of an agent. */
export interface FieldChange {
  label: string
  parts: Part[]
}

type Formats = {
  readonly [Name in keyof AgentValues]: {
    label: string
    format: (value: AgentValues[Name]) => string
  }
}

/** How each field is shown, in the order of the form. */
const formats: Formats = {
  name: { label: labels.agent.name, format: String },
  language: { label: labels.agent.language, format: languageName },
  model: { label: 'Model', format: (model) => model ?? 'Default' },
  speaks_first: {
    label: 'Who speaks first',
    format: (who) => (who === 'agent' ? 'The agent' : 'The contact'),
  },
  greeting: { label: 'Greeting', format: String },
  variables: { label: labels.agent.variables, format: (names) => names.join(', ') },
  instructions: { label: 'Instructions', format: String },
  closing_line: { label: 'Closing line', format: String },
  max_minutes: { label: 'Maximum minutes', format: (minutes) => String(minutes ?? 30) },
  ai_disclosure: { label: 'AI disclosure', format: (isOn) => (isOn ? 'On' : 'Off') },
  phrases: { label: 'Sentences', format: formatPhrases },
  goal: { label: 'Goal', format: String },
  results: { label: labels.agent.results, format: formatResults },
}

function formatResults(results: AgentValues['results']): string {
  const lines = results.map(({ name, type, description, choices }) => {
    const typeLabel = resultTypes.find(({ value }) => value === type)?.label ?? type
    const choiceList = choices.length === 0 ? '' : `: ${choices.join(', ')}`
    return `${name} (${typeLabel}${choiceList})${description === '' ? '' : ` ${description}`}`
  })
  return lines.join('\n')
}

/** Lists the fields that differ between two versions of an agent, with what was removed and added. */
export const findChanges = (before: AgentValues, after: AgentValues): FieldChange[] =>
  (Object.keys(formats) as (keyof AgentValues)[]).flatMap((name) => {
    const { label, format } = formats[name] as { label: string; format: (value: unknown) => string }
    const parts = compareTexts(format(before[name]), format(after[name]))
    return parts.every((part) => part.in === 'both') ? [] : [{ label, parts }]
  })

/** Maximum length of texts that are compared by word. Longer ones are compared by line, because comparing words takes long. */
const maxComparedByWord = 2_000

/** If two texts have more differences than this, the whole text counts as replaced. */
const maxEdits = 1_000

function compareTexts(before: string, after: string): Part[] {
  if (before === after) return [{ text: before, in: 'both' }]
  const options = { maxEditLength: maxEdits }
  const isLong = before.length + after.length > maxComparedByWord
  const parts = isLong ? diffLines(before, after, options) : diffWordsWithSpace(before, after, options)
  if (parts === undefined)
    return [
      { text: before, in: 'before' },
      { text: after, in: 'after' },
    ]
  return parts.map(({ value, added, removed }) => ({
    text: value,
    in: added ? 'after' : removed ? 'before' : 'both',
  }))
}

/** Shows changes, with what was removed struck through. */
export const changeList = (changes: readonly FieldChange[]): Html => html`
  <dl class="long-texts">
    ${changes.map(
      ({ label, parts }) => html`
        <dt>${label}</dt>
        <dd>${parts.map((part) => showPart(part))}</dd>
      `,
    )}
  </dl>
`

const showPart = ({ text, in: where }: Part): Html =>
  where === 'both'
    ? html`<span>${text}</span>`
    : where === 'before'
      ? html`<del>${text}</del>`
      : html`<ins>${text}</ins>`
