import { listChats } from '../../calling/chats/read-chat.ts'
import type { Deps } from '../../deps.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import type { PageModel } from '../page/page-model.ts'
import { chatEndBadge } from './chat-end.ts'
import { chooseModel, describeMissingModel, isFakeModel } from './chat-model.ts'
import { selectNewestContacts, selectUserNames, type SuggestedContact } from './chat-queries.ts'
import { startChatForm } from './start-chat-form.ts'

/** The data of the section about chats on an agent's page. `model` is null if no language model is set up. */
export interface ChatSectionData {
  agentId: number
  model: ReturnType<typeof chooseModel> | null
  variables: string[]
  contacts: readonly SuggestedContact[]
  chats: readonly (Awaited<ReturnType<typeof listChats>>[number] & { member: string })[]
}

export async function readChatSection(
  { db, model }: Pick<Deps, 'db' | 'model'>,
  workspaceId: number,
  agentId: number,
  newest: AgentValues,
): Promise<ChatSectionData> {
  const chats = await listChats(db, workspaceId, agentId)
  const names = await selectUserNames(
    db,
    chats.map((chat) => chat.user_id),
  )
  return {
    agentId,
    model: model === undefined ? null : chooseModel(model.models, newest.model),
    variables: newest.variables,
    contacts: model === undefined ? [] : await selectNewestContacts(db, workspaceId),
    chats: chats.map((chat) => ({ ...chat, member: names.get(chat.user_id) ?? 'A former user' })),
  }
}

export const chatSection = (page: Pick<PageModel, 'ui' | 'form'>, data: ChatSectionData): Html => html`
  <section class="panel" aria-labelledby="chat">
    <div class="panel-head">
      <h2 id="chat">Chat</h2>
      ${data.model !== null && isFakeModel(data.model.name) && badge({ tone: 'warn', text: 'Fake model' })}
    </div>
    ${data.model === null ? noModel : start(page, data, data.model)}
    ${data.chats.length > 0 && chatTable(page, data)}
  </section>
`

const noModel = html`
  <p>Agents converse through a language model, and none is set up. Add these two lines to <code>.env</code>, with the URL of any
    OpenAI-compatible server and the names of its models, and restart Outdial:</p>
  <pre tabindex="0" role="region" aria-label="Lines for .env">LLM_URL=https://llm.example.com/v1
LLM_MODELS=name-of-a-model</pre>
  <p class="hint">To try it without a model, run <code>npm run fake-model</code>. It prints the two lines that it needs.</p>
`

function start(
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  { agentId, variables, contacts }: ChatSectionData,
  model: NonNullable<ChatSectionData['model']>,
): Html {
  const action = ui.to(`/agents/${agentId}/chats/new`)
  const missing = describeMissingModel(model)
  return html`
    <p class="soft">
      Try the agent: you write what the contact says, and a language model answers. Nobody is called. Tools that only look something
      up really do, and all others only say what they would do.
    </p>
    ${missing !== null && html`<p class="notice" data-tone="warn">${missing}</p>`}
    ${startChatForm(form.sentTo(action), { action, variables, contacts })}
  `
}

const chatTable = ({ ui }: Pick<PageModel, 'ui'>, { agentId, chats }: ChatSectionData): Html => html`
  <h3 id="chats">Latest chats</h3>
  <div class="table-scroll chat-table" tabindex="0" role="group" aria-labelledby="chats">
    <table>
      <thead>
        <tr>
          <th scope="col">Started</th>
          <th scope="col" class="wide-only">Member</th>
          <th scope="col" class="number">Turns</th>
          <th scope="col">End</th>
        </tr>
      </thead>
      <tbody>
        ${chats.map(
          (chat) => html`
            <tr>
              <th scope="row"><a href="${ui.to(`/agents/${agentId}/chats/${chat.id}`)}">${time(ui, chat.started_at)}</a></th>
              <td class="wide-only">${chat.member}</td>
              <td class="number">${ui.count(chat.turn)}</td>
              <td>${badge(chatEndBadge(chat.end_reason))}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`
