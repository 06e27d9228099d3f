import { AgentResult } from '@outdial/contract'
import { describeField, type FormModel, groupIssue, issueText } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { maxChoices, maxLengths, maxResults, toResultName } from '../../queue/agents/validate-agent.ts'
import { trimmedField } from '../page/forms.ts'

export const resultTypes: readonly { value: AgentResult['type']; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'yes_no', label: 'Yes or no' },
  { value: 'choice', label: 'Choice' },
]

const blank: AgentResult = { name: '', type: 'text', description: '', choices: [] }

/** Returns the results, and a few blank rows. */
const toRows = (results: readonly AgentResult[]): AgentResult[] => [
  ...results,
  ...Array.from(
    { length: Math.min(maxResults - results.length, Math.max(2, 3 - results.length)) },
    () => blank,
  ),
]

/** Shows a row of fields for each result, and blank ones to add more. */
export const resultFields = (form: FormModel, results: readonly AgentResult[]): Html => html`
  ${groupIssue({ form, name: 'results', label: labels.agent.results })}
  ${toRows(results).map((result, index) => resultRow(form, index + 1, result))}
  <p class="hint">Blank rows are ignored. To add more rows, save the agent, then edit it.</p>
`

function resultRow(form: FormModel, number: number, result: AgentResult): Html {
  const row = `result.${number}`
  const model = form.field(`${row}.name`, result.name, undefined, `Result ${number}`)
  const { value: type } = form.field(`${row}.type`, result.type)
  const { value: about } = form.field(`${row}.about`, result.description)
  const { value: choices } = form.field(`${row}.choices`, result.choices.join(', '))
  return html`
    <div class="result-row" role="group" aria-label="Result ${number}">
      ${issueText(model)}
      <input
        id="${model.id}"
        name="${row}.name"
        value="${model.value}"
        aria-label="Name of result ${number}"
        placeholder="Name, for example Appointment day"
        maxlength="60"
        autocomplete="off"${attributes({ autofocus: model.isFirstIssue, ...describeField(model) })}
      >
      <select name="${row}.type" aria-label="Type of result ${number}">
        ${resultTypes.map(
          (choice) => html`
            <option value="${choice.value}"${attributes({ selected: choice.value === type })}>${choice.label}</option>`,
        )}
      </select>
      <input
        name="${row}.about"
        value="${about}"
        class="result-wide"
        aria-label="Description of result ${number}"
        placeholder="What to find out"
        maxlength="${maxLengths.resultDescription}"
        autocomplete="off"
      >
      <input
        name="${row}.choices"
        value="${choices}"
        class="result-wide"
        aria-label="Choices of result ${number}, separated by commas"
        placeholder="Choices, separated by commas: morning, afternoon"
        maxlength="${maxChoices * (maxLengths.choice + 2)}"
        autocomplete="off"
      >
    </div>
  `
}

/** Returns the results of the rows that were filled in. Their names become keys: “Appointment day” becomes appointment_day. */
export function parseResults(raw: Readonly<Record<string, unknown>>): AgentResult[] {
  const text = (name: string) => trimmedField(raw, name)
  const rows = Array.from({ length: maxResults }, (_, index) => `result.${index + 1}`)
  const filled = rows.filter((row) =>
    ['name', 'about', 'choices'].some((part) => text(`${row}.${part}`) !== ''),
  )
  return filled.map((row) => {
    const type = AgentResult.shape.type.catch('text').parse(raw[`${row}.type`])
    return {
      name: toResultName(text(`${row}.name`)),
      type,
      description: text(`${row}.about`),
      choices: type === 'choice' ? text(`${row}.choices`).split(/[,;]/) : [],
    }
  })
}
