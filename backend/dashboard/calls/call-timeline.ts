import { badge } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'
import type { Step } from '../stories/story.ts'

/** Says what happened to a call: in sentences, and step by step. */
export const callTimeline = (
  ui: Ui,
  { notes, steps }: { notes: readonly string[]; steps: readonly Step[] },
): Html => html`
  <section class="panel" aria-labelledby="story">
    <h2 id="story">What happened</h2>
    ${notes.map((note) => html`<p>${note}</p>`)}
    <ol class="timeline">
      ${steps.map((step) => stepOfCall(ui, step))}
    </ol>
  </section>
`

const stepOfCall = (ui: Ui, step: Step): Html => html`
  <li data-tone="${step.tone}">
    <span class="moment-head">
      <strong>
        ${step.path ? html`<a href="${ui.to(step.path)}">${step.title}</a>` : step.title}
      </strong>
      ${
        step.at
          ? html`
            <time
              class="soft small-text"
              datetime="${ui.iso(step.at)}"
              title="${ui.fullTime(step.at)}"
            >${ui.exactTime(step.at)}</time>
          `
          : null
      }
    </span>
    ${step.detail ? html`<span class="soft">${step.detail}</span>` : null}
    ${step.tool === null ? null : toolOfStep(ui, step.tool)}
  </li>
`

const toolOfStep = (ui: Ui, tool: NonNullable<Step['tool']>): Html => html`
  <span class="row tight">
    <span class="soft small-text">${ui.count(tool.ms)} ms</span>
    ${tool.isError && badge({ tone: 'bad', text: 'Failed' })}
    ${tool.dryRun && badge({ tone: 'mute', text: 'Dry run' })}
  </span>
  ${toolDetails(tool)}
`

interface ToolDetails {
  name: string
  arguments: string
  /** Null while the tool is running. */
  result: string | null
  isError: boolean
}

/** Shows what the agent sent to a tool, and what it got. */
export const toolDetails = ({ name, arguments: sent, result, isError }: ToolDetails): Html => html`
  <details class="tool-call">
    <summary>${result === null ? 'Arguments' : 'Arguments and result'}</summary>
    <h3>Arguments</h3>
    <pre tabindex="0" role="region" aria-label="Arguments of ${name}">${sent}</pre>
    ${
      result !== null &&
      html`
        <h3>${isError ? 'Error sent to the agent' : 'Result sent to the agent'}</h3>
        <pre tabindex="0" role="region" aria-label="Result of ${name}">${result}</pre>
      `
    }
  </details>
`
