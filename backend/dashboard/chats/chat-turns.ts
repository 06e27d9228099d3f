import type { ChatTurn } from '../../calling/chats/chat.ts'
import type {
  LateResult,
  SaidPart,
  ToolPart,
  TroublePart,
  TurnInput,
  TurnPart,
} from '../../calling/conversation/transcript.ts'
import { badge } from '../../platform/views/elements.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { toolDetails } from '../calls/call-timeline.ts'

// The transcript of a chat. While a turn is in progress, the page's script gets the same markup part by part.

/** The names that are shown above the turns. */
export interface Speakers {
  agent: string
  contact: string
}

/** Shows a turn: what the contact said, then what the agent said and did. */
export const chatTurn = (speakers: Speakers, turn: ChatTurn, isInProgress: boolean): Html => html`
  ${turn.input !== null && inputOfTurn(speakers, turn.input, turn.number)}
  ${agentOfTurn(speakers, turn, isInProgress)}
`

/** @param number null for a turn that isn't stored yet */
export const inputOfTurn = ({ contact }: Speakers, input: TurnInput, number: number | null): Html => html`
  <li data-role="contact"${attributes({ id: number !== null && `turn-${number}` })}>
    <span class="turn-speaker">${contact}</span>
    ${input.type === 'speech' ? html`<p>${input.text}</p>` : html`<p class="turn-aside">Says nothing</p>`}
  </li>
`

export const agentOfTurn = (
  { agent }: Speakers,
  { input, number, parts, isFinished }: ChatTurn,
  isInProgress: boolean,
): Html => html`
  <li data-role="agent"${attributes({ id: input === null && `turn-${number}` })}>
    <span class="turn-speaker">${agent}</span>
    ${parts.map((part, index) => partOfTurn(part, `${number}-${index}`))}
    ${
      isFinished
        ? parts.length === 0 && html`<p class="turn-aside">Says nothing</p>`
        : isInProgress
          ? html`<p class="turn-aside">Is answering…</p>`
          : lostAnswer(parts.length > 0)
    }
  </li>
`

/** @param isPartial true if the page shows the first part of the answer, which was saved when a tool with effects ran */
const lostAnswer = (isPartial: boolean): Html => html`
  <div class="notice" data-tone="warn">
    ${isPartial ? 'The rest of this answer' : 'This answer'} was lost. The server stopped, something failed, or another page or process
    continued the chat before the answer was stored.
  </div>
`

/** @param key distinguishes the part from all others on the page */
export function partOfTurn(part: TurnPart, key: string): Html {
  switch (part.type) {
    case 'said':
      return saidPart(part)
    case 'tool':
      return toolPart(part)
    case 'late_result':
      return lateResult(part, key)
    case 'trouble':
      return troublePart(part)
    case 'interrupted':
      return html`<p class="turn-aside">Interrupted</p>`
  }
}

const saidPart = ({ text, isFiller }: SaidPart): Html =>
  html`<p${attributes({ class: isFiller && 'turn-aside' })}>${text}</p>`

/** Returns the ID of the element that shows a tool call. */
export const toolElementId = ({ id }: Pick<ToolPart, 'id'>): string => `tool-${id.replace(/\s/g, '-')}`

/** Shows a tool call. The page's script finds a running one by the element's ID, and replaces it when its result arrives. */
export const toolPart = (tool: ToolPart): Html => html`
  <div class="turn-tool" id="${toolElementId(tool)}">
    <span class="row tight">
      <code>${tool.name}</code>
      ${tool.result === null && badge({ tone: 'live', text: 'Still running' })}
      ${tool.isError && badge({ tone: 'bad', text: 'Failed' })}
      ${tool.isDryRun && badge({ tone: 'mute', text: 'Dry run' })}
    </span>
    ${toolDetails({ ...tool, arguments: formatJson(tool.args) })}
  </div>
`

/** Shows the result of a tool that took longer than its turn. */
const lateResult = ({ name, result, isError }: LateResult, key: string): Html => html`
  <div class="turn-tool" id="late-${key}">
    <span class="row tight">
      <code>${name}</code>
      <span class="soft small-text">The result has arrived.</span>
      ${isError && badge({ tone: 'bad', text: 'Failed' })}
    </span>
    <details class="tool-call">
      <summary>Result</summary>
      <pre tabindex="0" role="region" aria-label="Late result of ${name}">${result}</pre>
    </details>
  </div>
`

/** Shows a failure to the member. The contact doesn't hear it. */
const troublePart = ({ sentence }: TroublePart): Html => html`
  <div class="notice" data-tone="warn"><strong>For the operator:</strong> ${sentence}</div>
`

const formatJson = (value: unknown): string => JSON.stringify(value ?? null, null, 2)
