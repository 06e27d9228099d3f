import type { ChatEvent } from '../../calling/chats/chat.ts'
import type { TurnInput, TurnPart } from '../../calling/conversation/transcript.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'
import type { StreamedPart } from '../page/stream-form.ts'
import type { ShownChat } from './chat-context.ts'
import { sidePanels, sidePanelsId } from './chat-panels.ts'
import { agentOfTurn, inputOfTurn, partOfTurn, type Speakers, toolElementId, toolPart } from './chat-turns.ts'

interface StreamView {
  ui: Ui
  speakers: Speakers
  model: string | null
  member: string
  /** Loads the chat as it's stored now. */
  load: () => Promise<ShownChat>
}

/**
 * Writes a turn in progress for the page's script:
 *
 * - `begin`: what the contact said, and an empty turn of the agent
 * - `part`: something that the agent says or does
 * - `text`: more words of the sentence in the last part
 * - `replace`: new markup for an element that's already on the page
 * - `turn`: the finished turn, as it's stored
 * - `over`: the script loads the page again, because the chat has ended or the turn isn't stored
 */
export async function* streamTurn(
  view: StreamView,
  input: TurnInput,
  events: AsyncIterable<ChatEvent>,
): AsyncGenerator<StreamedPart, void> {
  const { speakers } = view
  yield { type: 'begin', ...write(html`${inputOfTurn(speakers, input, null)}${agentInProgress(speakers)}`) }
  let lastSaid: { isFiller?: true } | null = null
  let count = 0
  for await (const event of events) {
    const before = lastSaid
    // A tool's result changes an earlier part, so the agent's sentence continues after it.
    if (event.type !== 'tool_finished') lastSaid = event.type === 'said' ? event : null
    switch (event.type) {
      case 'said':
        if (before !== null && before.isFiller === event.isFiller) yield { type: 'text', text: event.text }
        else yield toPart(event, (count += 1))
        break
      case 'tool_started':
        yield { type: 'part', ...write(toolPart(event.tool)) }
        break
      case 'tool_finished':
        yield { type: 'replace', target: toolElementId(event.tool), ...write(toolPart(event.tool)) }
        break
      case 'late_result':
      case 'trouble':
      case 'interrupted':
        yield toPart(event, (count += 1))
        break
      case 'finished': {
        const shown = await view.load()
        const turn = shown.chat.turns.find(({ number }) => number === event.number)
        if (turn !== undefined)
          yield {
            type: 'turn',
            ...write(html`${inputOfTurn(speakers, input, turn.number)}${agentOfTurn(speakers, turn, false)}`),
          }
        yield toSide(view, shown)
        if (event.end !== null) yield { type: 'over' }
        break
      }
      case 'found':
        yield toSide(view, await view.load())
        break
      case 'dropped':
        yield { type: 'over' }
    }
  }
}

const write = (markup: Html) => ({ html: String(markup) })

const toPart = (part: TurnPart, count: number): StreamedPart => ({
  type: 'part',
  ...write(partOfTurn(part, `new-${count}`)),
})

const agentInProgress = ({ agent }: Speakers): Html => html`
  <li data-role="agent">
    <span class="turn-speaker">${agent}</span>
    <p class="turn-aside" id="chat-waiting">Is answering…</p>
  </li>
`

const toSide = ({ ui, model, member }: StreamView, shown: ShownChat): StreamedPart => ({
  type: 'replace',
  target: sidePanelsId,
  ...write(sidePanels(ui, shown, { model: shown.chat.model ?? model, member })),
})
