import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { hourMs } from '../../platform/core/durations.ts'
import { fieldError } from '../../platform/core/errors.ts'
import { runToEnd } from '../../platform/core/run-to-end.ts'
import { lockAgent, lockChatStarts, lockContact } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { agentNotFound } from '../../queue/agents/agents.ts'
import { Conversation } from '../conversation/conversation.ts'
import { loadConversation } from './build-conversation.ts'
import type { SampleValues } from './chat.ts'
import { tooManyChats } from './chat-errors.ts'
import { type ChatRow, countChatsSince, insertChat, insertTurn, updateTurn } from './chat-store.ts'
import type { ChatDeps } from './take-turn.ts'
import { requireTokensLeft } from './token-usage.ts'

/** Maximum number of chats that a member can start within an hour. */
const maxChatsPerHour = 30

/** The contact of a chat: a contact of the workspace, or made-up values. */
export type ChatContact = { contactId: number } | { sampleValues: SampleValues }

/**
 * Starts a chat with the newest version of an agent, even if the agent is a draft or calls use an older version. If the agent
 * speaks first, the new chat already contains the agent's first words.
 *
 * @throws {ApiError} not_found for an unknown agent or contact, and rate_limited
 */
export const startChat = (
  deps: ChatDeps,
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  agentId: number,
  contact: ChatContact,
): Promise<{ id: string }> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId, userId } = caller
    await lockChatStarts(tx.db, workspaceId, userId)
    const agent = await lockAgent(tx.db, workspaceId, agentId)
    if (agent === undefined) throw agentNotFound()
    await requireTokensLeft(tx, workspaceId)
    const now = tx.clock.now()
    const started = await countChatsSince(tx.db, workspaceId, userId, new Date(now.getTime() - hourMs))
    if (started >= maxChatsPerHour) throw tooManyChats(maxChatsPerHour)
    const contactId = 'contactId' in contact ? contact.contactId : null
    if (contactId !== null) await requireContact(tx, workspaceId, contactId)
    const chat = await insertChat(tx.db, {
      ...{ workspaceId, agentId, agentVersion: agent.newest_version, userId, contactId, now },
      sampleValues: 'sampleValues' in contact ? contact.sampleValues : null,
    })
    await sayFirstWords(tx, chat)
    return { id: chat.id }
  })

async function requireContact(tx: Pick<Deps, 'db'>, workspaceId: number, contactId: number): Promise<void> {
  // The lock waits for an erasure in progress, which wouldn't find a chat that's being added.
  if ((await lockContact(tx.db, workspaceId, contactId)) === undefined)
    throw fieldError('contact_id', 'not_found.contact')
}

async function sayFirstWords(tx: ChatDeps, chat: ChatRow): Promise<void> {
  const state = await loadConversation(tx.db, chat, [])
  if (state.agent.speaks_first !== 'agent') return
  const unused = () => Promise.reject(new Error('invariant: the first words need no tools'))
  const conversation = new Conversation(
    {
      ...{ model: tx.model, clock: tx.clock, openTools: unused, runControl: unused },
      ...{ saveProgress: unused, saveLateResult: unused, onToolFailure: () => {} },
    },
    state,
  )
  const turn = await runToEnd(conversation.takeTurn(null, new AbortController().signal))
  const now = tx.clock.now()
  const key = { workspaceId: chat.workspace_id, chatId: chat.id, number: 1 }
  await insertTurn(tx.db, key, null, now)
  await updateTurn(tx.db, key, { ...turn, now })
}
