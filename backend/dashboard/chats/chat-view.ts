import { maxInputLength } from '../../calling/chats/take-turn.ts'
import { findMissingPhrases } from '../../calling/conversation/phrases/index.ts'
import { assetUrl } from '../../platform/views/assets.ts'
import { badge, live } from '../../platform/views/elements.ts'
import { languageName } from '../../platform/views/format.ts'
import { button, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { defineView } from '../page/define-page.ts'
import type { PageModel } from '../page/page-model.ts'
import type { ShownChat } from './chat-context.ts'
import { chatEndBadge, describeChatEnd } from './chat-end.ts'
import { type ChatEventData, chatEventPanel } from './chat-event-panel.ts'
import { isFakeModel } from './chat-model.ts'
import { analysisPanel, sidePanels } from './chat-panels.ts'
import { chatTurn, partOfTurn, type Speakers } from './chat-turns.ts'
import { variablePrefix } from './start-chat-form.ts'

export interface ChatData {
  shown: ShownChat
  speakers: Speakers
  /** The path of the chat. */
  path: string
  /** The number of the turn in progress, even if another process or page takes it. Null if there's none. */
  turnInProgress: number | null
  /** The model that the agent uses; null if none is set up. */
  model: string | null
  /** Says that the settings no longer list the model chosen for the agent; null if they do. */
  missingModel: string | null
  /** The member who started the chat. */
  member: string
  /** True if the page's reader is the member who started the chat. */
  isOwn: boolean
  /** Null until the chat has ended. */
  event: ChatEventData | null
}

export const chatView = defineView((page: PageModel, data: ChatData) => {
  const { ui } = page
  const { shown, path, model, missingModel, turnInProgress } = data
  const { chat, agent } = shown
  const isPending = turnInProgress !== null || chat.analysis.state === 'pending'
  const agentPath = ui.to(`/agents/${chat.agentId}`)
  return html`
    <a class="crumb" href="${agentPath}">${icon('back')} ${agent.name}</a>
    <div class="live stack-wide"${attributes(live(isPending ? path : null, '2s'))}>
      <div class="page-head">
        <div>
          <h1>Chat with ${agent.name}</h1>
          <p class="row">
            ${badge(chatEndBadge(chat.endReason))}
            ${model !== null && isFakeModel(model) && badge({ tone: 'warn', text: 'Fake model' })}
            <a class="small-text" href="${agentPath}/versions?number=${chat.agentVersion}">Version ${chat.agentVersion}</a>
          </p>
        </div>
        <div class="page-head-actions">${newChatButton(page, data)}</div>
      </div>
      ${missingModel !== null && chat.endedAt === null && html`<p class="notice" data-tone="warn">${missingModel}</p>`}
      ${chat.endedAt === null && missingPhrases(agent, ui.to(`/agents/${chat.agentId}/edit`))}
      <div class="columns">
        <div>
          ${conversation(page, data)}
          ${data.event !== null && html`${analysisPanel(ui, shown, path)}${chatEventPanel(page, data.event)}`}
        </div>
        <div>${sidePanels(ui, shown, { model, member: data.member })}</div>
      </div>
    </div>
    <script src="${assetUrl('chat.js')}" defer></script>
  `
})

/** Warns that Outdial's built-in sentences don't exist in the agent's language. Null if they do, or the agent has its own. */
const missingPhrases = (agent: AgentValues, formPath: string): Html | null =>
  findMissingPhrases(agent).length === 0
    ? null
    : html`
      <p class="notice" data-tone="warn">
        Outdial has no sentences in ${languageName(agent.language)}, so the agent says some in English, such as “Are you still there?”.
        <a href="${formPath}">Write them</a>
      </p>
    `

function conversation(page: PageModel, data: ChatData): Html {
  const { shown, speakers, turnInProgress } = data
  const { turns, endReason } = shown.chat
  const hasForm = endReason === null && data.isOwn
  return html`
    <section class="panel chat" aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      <div role="log" aria-labelledby="conversation">
        <ol class="transcript" id="chat-turns">
          ${turns.map((turn) => chatTurn(speakers, turn, turn.number === turnInProgress))}
        </ol>
      </div>
      <ol class="transcript" id="chat-speaking" aria-label="Turn in progress" hidden></ol>
      <template id="chat-interrupted">${partOfTurn({ type: 'interrupted' }, '')}</template>
      <p class="visually-hidden" role="status" id="chat-status"></p>
      ${turns.length === 0 && endReason === null && html`<p class="soft">The contact speaks first. Write what they say.</p>`}
      ${!hasForm && formMessage(page.form)}
      ${endReason !== null && html`<p class="notice" id="chat-end" tabindex="-1">${describeChatEnd(endReason)}</p>`}
      ${
        endReason === null &&
        !data.isOwn &&
        html`<p class="hint">${data.member} started this chat, and only they can continue it.</p>`
      }
      ${hasForm && chatForm(page, data)}
    </section>
  `
}

const chatForm = ({ form }: Pick<PageModel, 'form'>, { path }: ChatData): Html =>
  pageForm(
    form,
    { action: path, id: 'chat-form', class: 'stack chat-input', novalidate: true },
    html`
      ${formMessage(form)}
      <p class="notice" data-tone="bad" role="alert" id="chat-failure" hidden></p>
      ${field({
        form,
        name: 'text',
        label: 'What the contact says',
        rows: 2,
        maxlength: maxInputLength,
        required: true,
        hint: "“Say nothing” plays silence. The agent greets you if it hasn't spoken yet, or asks whether you're still there. If you stay silent, it hangs up.",
      })}
      <p class="hint" id="chat-keys" hidden>Enter sends. Shift and Enter start a new line.</p>
      <div class="form-actions">
        <button class="primary small">Send</button>
        <button class="quiet small" name="_silence" value="yes">Say nothing</button>
        <button class="danger small" formaction="${path}/end">End chat</button>
      </div>
    `,
  )

/** Shows the button that starts another chat with the same person. */
function newChatButton(
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  { shown, model }: ChatData,
): Html | null {
  const { chat, person } = shown
  if (model === null) return null
  const fields: Record<string, string> =
    chat.contactId !== null
      ? { contact: `#${chat.contactId}` }
      : {
          first_name: person.first_name ?? '',
          last_name: person.last_name ?? '',
          ...Object.fromEntries(
            Object.entries(person.variables).map(([name, value]) => [`${variablePrefix}${name}`, value]),
          ),
        }
  return button({ form, action: ui.to(`/agents/${chat.agentId}/chats/new`), label: 'New chat', fields })
}
