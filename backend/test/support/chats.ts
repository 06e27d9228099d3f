import {
  type ChatRow,
  insertChat,
  insertTurn,
  selectChat,
  updateEnd,
  updateTurn,
} from '../../calling/chats/chat-store.ts'
import { noUsage } from '../../calling/conversation/model/usage.ts'
import type { TurnInput, TurnPart } from '../../calling/conversation/transcript.ts'
import { parseConfig } from '../../config.ts'
import type { TestDeps } from './deps.ts'
import type { Seed } from './factories.ts'

interface ChatToSeed {
  /** The contact of the chat. Without it, the chat has sample values. */
  contactId?: number
  agentVersion?: number
  userId?: number
  inputs?: readonly TurnInput[]
  /** For each turn, what the agent said and did. */
  parts?: readonly TurnPart[]
  /** When the last turn ended; by default, now. */
  lastTurnAt?: Date
  /** True if the member ends the chat immediately. */
  isEnded?: boolean
}

const houseOwner: readonly TurnInput[] = [{ type: 'speech', text: 'I own a house.' }]

/** Creates a chat with the rows that its turns would have left, without asking a model. */
export async function seedChat(
  { db, clock }: Pick<TestDeps, 'db' | 'clock'>,
  seed: Seed,
  chat: ChatToSeed = {},
): Promise<string> {
  const { workspaceId, agentId } = seed
  const { contactId = null, agentVersion = 1, userId = seed.userId, inputs = houseOwner } = chat
  const { parts = [{ type: 'said', text: 'Do you own a house?' }], lastTurnAt: now = clock.now() } = chat
  const sampleValues = contactId === null ? { first_name: 'Sam', last_name: null, variables: {} } : null
  const { id: chatId } = await insertChat(db, {
    ...{ workspaceId, agentId, agentVersion, userId, contactId, sampleValues, now },
  })
  for (const [index, input] of inputs.entries()) {
    const key = { workspaceId, chatId, number: index + 1 }
    await insertTurn(db, key, input, now)
    const turn = { parts, messages: [], model: 'outdial-fake', usage: noUsage, lateResultIds: [] }
    await updateTurn(db, key, { ...turn, end: undefined, now })
  }
  if (chat.isEnded === true) await updateEnd(db, workspaceId, chatId, { end: 'member', now })
  return chatId
}

/** Returns a chat. Throws if it was deleted. */
export async function getChat(
  { db }: Pick<TestDeps, 'db'>,
  { workspaceId }: Seed,
  chatId: string,
): Promise<ChatRow> {
  const chat = await selectChat(db, workspaceId, chatId)
  if (chat === undefined) throw new Error('the chat was deleted')
  return chat
}

/** Returns the settings of a service with a language model. */
export const modelConfig = (settings: Record<string, string> = {}) =>
  parseConfig({
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    LOG_LEVEL: 'silent',
    LLM_URL: 'http://127.0.0.1:9/v1',
    LLM_MODELS: 'outdial-fake',
    ...settings,
  })
