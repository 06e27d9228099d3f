import type { Extracted } from '@outdial/contract'
import { getOwn } from '../../platform/core/records.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { formatExtractedValue, goalBadge, sentimentBadge } from '../calls/call-result.ts'
import type { Ui } from '../page/page-model.ts'
import type { ShownChat } from './chat-context.ts'

/** The ID of the element that the page's script replaces after each turn. */
export const sidePanelsId = 'chat-side'

/** Shows what's beside a chat's conversation: the results so far, and the details. */
export const sidePanels = (
  ui: Ui,
  shown: ShownChat,
  { model, member }: { model: string | null; member: string },
): Html => html`
  <div class="stack-wide" id="${sidePanelsId}">
    ${shown.chat.endedAt === null && resultsPanel(ui, shown.agent, shown.chat.found)}
    ${factsPanel(ui, shown, { model, member })}
  </div>
`

const resultsPanel = (ui: Ui, { results }: AgentValues, found: Extracted | null): Html => html`
  <section class="panel" aria-labelledby="results">
    <h2 id="results">Results so far</h2>
    ${
      results.length === 0
        ? html`<p class="soft small-text">The agent has no results to find out. Add some in its form.</p>`
        : html`<dl class="facts" id="chat-results">${resultRows(ui, results, found, 'Not yet')}</dl>`
    }
  </section>
`

/** Lists all results of an agent with their values, as rows of a description list. */
const resultRows = (
  ui: Ui,
  results: AgentValues['results'],
  values: Extracted | null,
  missing: string,
): Html[] =>
  results.map(({ name }) => {
    const value = values?.[name] ?? null
    const shown = value === null ? html`<span class="soft">${missing}</span>` : formatExtractedValue(value)
    return html`<dt>${ui.words(name)}</dt><dd>${shown}</dd>`
  })

function factsPanel(
  ui: Ui,
  { chat, agent, person }: ShownChat,
  { model, member }: { model: string | null; member: string },
): Html {
  const { input, output, isEstimated } = chat.tokens
  const name = formatContactName(person, 'No name')
  const variables = agent.variables.flatMap((variable) => {
    const value = getOwn(person.variables, variable)
    return value === undefined ? [] : [[variable, value] as const]
  })
  return html`
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <dl class="facts">
        <dt>Contact</dt>
        <dd>${chat.contactId === null ? `${name} (sample values)` : html`<a href="${ui.to(`/contacts/${chat.contactId}`)}">${name}</a>`}</dd>
        ${variables.map(([variable, value]) => html`<dt>${variable}</dt><dd>${value}</dd>`)}
        <dt>Member</dt><dd>${member}</dd>
        <dt>Started</dt><dd>${time(ui, chat.startedAt)}</dd>
        ${model !== null && html`<dt>Model</dt><dd>${model}</dd>`}
        <dt>Tokens</dt>
        <dd>${isEstimated && 'About '}${ui.count(input + output)} <span class="soft">(input ${ui.count(input)}, output ${ui.count(output)})</span></dd>
      </dl>
      <p class="hint">Typing shows what it says, not how it sounds.</p>
    </section>
  `
}

/** Shows what the analysis of a chat found. */
export function analysisPanel(ui: Ui, { chat, agent }: ShownChat, here: string): Html {
  const { analysis: state } = chat
  return html`
    <section class="panel" aria-labelledby="result">
      <h2 id="result">Result</h2>
      ${
        state.state === 'done'
          ? html`
            <p>${state.analysis.summary}</p>
            <dl class="facts">
              ${agent.goal !== '' && html`<dt>${labels.call.goal_met}</dt><dd>${badge(goalBadge(state.analysis.goal_met))}</dd>`}
              <dt>${labels.call.sentiment}</dt><dd>${badge(sentimentBadge(state.analysis.sentiment))}</dd>
              ${resultRows(ui, agent.results, state.analysis.extracted, 'Unknown')}
            </dl>
          `
          : state.state === 'failed'
            ? html`<p class="notice" data-tone="warn">${state.sentence}</p>`
            : html`
              <p role="status">
                ${badge({ tone: 'live', text: 'In progress' })} The conversation is being analyzed.
                <a href="${here}">Check again</a>
              </p>
            `
      }
    </section>
  `
}
