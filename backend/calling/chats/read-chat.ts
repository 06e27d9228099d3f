import type { Db } from '../../platform/db/schema.ts'
import type { ConversationAnalysis } from '../conversation/model/analysis.ts'
import type { LateResult, ToolPart, TurnPart } from '../conversation/transcript.ts'
import type { Chat, ChatAnalysis, SampleValues } from './chat.ts'
import { type ChatRow, selectChat, selectChats, selectTurns, type TurnRow } from './chat-store.ts'

/** Maximum number of chats that an agent's page lists. */
const maxListed = 20

export const listChats = (db: Db, workspaceId: number, agentId: number) =>
  selectChats(db, workspaceId, agentId, maxListed)

/** Returns a chat with its turns. Undefined if the chat doesn't exist, or if it has been deleted. */
export async function findChat(db: Db, workspaceId: number, id: string): Promise<Chat | undefined> {
  const chat = await selectChat(db, workspaceId, id)
  if (chat === undefined) return undefined
  const turns = await selectTurns(db, workspaceId, id)
  return {
    ...{ id, agentId: chat.agent_id, agentVersion: chat.agent_version, userId: chat.user_id },
    contactId: chat.contact_id,
    sampleValues: chat.sample_values as SampleValues | null,
    turns: addLateResults(chat, turns).map(({ number, input, parts, messages, started_at: startedAt }) => ({
      ...{ number, input, parts: parts ?? [], isFinished: messages !== null, startedAt },
    })),
    ...{ found: chat.found, model: chat.model },
    tokens: {
      ...{ input: chat.input_tokens, output: chat.output_tokens },
      isEstimated: chat.has_estimated_tokens,
    },
    ...{ startedAt: chat.started_at, lastTurnAt: chat.last_turn_at },
    ...{ endedAt: chat.ended_at, endReason: chat.end_reason },
    analysis: toAnalysis(chat),
  }
}

/** Fills in the missing results of tools: the late result or, in an ended chat, a note that none arrived. */
export function addLateResults(chat: ChatRow, turns: readonly TurnRow[]): TurnRow[] {
  const late = [...turns.flatMap(({ parts }) => parts ?? []), ...(chat.late_results as LateResult[])]
  const results = new Map(late.flatMap((part) => (part.type === 'late_result' ? [[part.id, part]] : [])))
  const addResult = (part: TurnPart): TurnPart =>
    part.type === 'tool' && part.result === null ? withResult(part, results, chat) : part
  return turns.map((turn) => ({ ...turn, parts: turn.parts?.map(addResult) ?? null }))
}

function withResult(
  tool: ToolPart,
  results: ReadonlyMap<string, LateResult>,
  { ended_at: endedAt }: ChatRow,
): ToolPart {
  const late = results.get(tool.id)
  if (late !== undefined) return { ...tool, result: late.result, isError: late.isError }
  return endedAt === null ? tool : { ...tool, result: noResult, isError: true }
}

const noResult = 'No result arrived before the chat ended.'

function toAnalysis({ analysis, analysis_failure: sentence, ended_at: endedAt }: ChatRow): ChatAnalysis {
  if (analysis !== null) return { state: 'done', analysis: analysis as ConversationAnalysis }
  if (sentence !== null) return { state: 'failed', sentence }
  return endedAt === null ? { state: 'none' } : { state: 'pending' }
}
