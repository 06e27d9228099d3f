import * as z from 'zod'
import type { Chat } from '../../calling/chats/chat.ts'
import { chatNotFound } from '../../calling/chats/chat-errors.ts'
import { findChat } from '../../calling/chats/read-chat.ts'
import type { ModelClient } from '../../calling/conversation/model/model-client.ts'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { findAgentVersion } from '../../queue/agents/agents.ts'
import { findContact } from '../../queue/contacts/find-contacts.ts'
import { IdParam, type PageContext, type PathContext, pathTo } from '../page/page-context.ts'

/** Path parameters of a chat. `id` is the agent's ID. */
export const ChatParams = z.object({ id: IdParam, chatId: z.uuid() })

export type ChatContext = PageContext<unknown, z.output<typeof ChatParams>>

export const chatPath = (context: PathContext<z.output<typeof ChatParams>>): string =>
  pathTo(context, `/agents/${context.params.id}/chats/${context.params.chatId}`)

export const chatKey = ({ workspace, user, params }: ChatContext) => ({
  workspaceId: workspace.id,
  userId: user.userId,
  chatId: params.chatId,
})

/** @throws {FormError} validation_failed if no language model is set up */
export function requireModel({ model }: Pick<Deps, 'model'>): ModelClient {
  if (model !== undefined) return model
  throw new FormError(
    'validation_failed',
    "No language model is set up, so agents can't converse. The agent's page says how to set one up.",
  )
}

/** A chat, and the agent and person that its page shows. */
export interface ShownChat {
  chat: Chat
  /** The version of the agent that the chat is with. */
  agent: AgentValues
  /** The other side of the conversation: a contact, or a person made of sample values. */
  person: { first_name: string | null; last_name: string | null; variables: Record<string, string> }
}

/** @throws {FormError} not_found if the chat was deleted, or is with another agent or in another workspace */
export async function getChat({ db }: Pick<Deps, 'db'>, { workspace, params }: ChatContext): Promise<Chat> {
  const chat = await findChat(db, workspace.id, params.chatId)
  if (chat?.agentId !== params.id) throw chatNotFound()
  return chat
}

export async function loadShownChat(deps: Pick<Deps, 'db'>, context: ChatContext): Promise<ShownChat> {
  const chat = await getChat(deps, context)
  const { values } = await findAgentVersion(deps.db, context.workspace.id, chat.agentId, chat.agentVersion)
  return { chat, agent: values, person: await findPerson(deps, context, chat) }
}

async function findPerson(
  { db }: Pick<Deps, 'db'>,
  { workspace }: ChatContext,
  { contactId, sampleValues }: Chat,
): Promise<ShownChat['person']> {
  const contact = contactId === null ? undefined : await findContact(db, workspace.id, contactId)
  if (contactId !== null && contact === undefined) throw chatNotFound()
  return contact ?? sampleValues ?? { first_name: null, last_name: null, variables: {} }
}
