import type { Extracted } from '@outdial/contract'
import { type RawBuilder, sql } from 'kysely'
import { toStorableJson } from '../../platform/core/text.ts'
import type { ConversationEnd, Db } from '../../platform/db/schema.ts'
import type { TokenUsage } from '../conversation/model/usage.ts'
import type { FinishedTurn, LateResult, Turn, TurnInput } from '../conversation/transcript.ts'
import type { SampleValues } from './chat.ts'

/** Counts the chats that a member has started since a time. */
export async function countChatsSince(
  db: Db,
  workspaceId: number,
  userId: number,
  since: Date,
): Promise<number> {
  const { count } = await db
    .selectFrom('conversation')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('started_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

interface NewChat {
  workspaceId: number
  agentId: number
  agentVersion: number
  userId: number
  contactId: number | null
  sampleValues: SampleValues | null
  now: Date
}

export const insertChat = (db: Db, chat: NewChat): Promise<ChatRow> =>
  db
    .insertInto('conversation')
    .values({
      ...{ workspace_id: chat.workspaceId, agent_id: chat.agentId, agent_version: chat.agentVersion },
      ...{ user_id: chat.userId, contact_id: chat.contactId },
      sample_values: chat.sampleValues && JSON.stringify(chat.sampleValues),
      ...{ started_at: chat.now, last_turn_at: chat.now },
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export type ChatRow = NonNullable<Awaited<ReturnType<typeof selectChat>>>

/** Returns a chat, even if its agent has been paused or changed since the chat started. */
export const selectChat = (db: Db, workspaceId: number, id: string) =>
  db
    .selectFrom('conversation')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Locks a chat until the transaction ends, so that only one transaction at a time can add a turn to it or end it. */
export const lockChat = (db: Db, workspaceId: number, id: string) =>
  db
    .selectFrom('conversation')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Returns an agent's latest chats. `turn` is the number of a chat's newest turn. */
export const selectChats = (db: Db, workspaceId: number, agentId: number, limit: number) =>
  db
    .selectFrom('conversation')
    .select(['id', 'started_at', 'ended_at', 'end_reason', 'turn', 'user_id'])
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .orderBy('started_at', 'desc')
    .limit(limit)
    .execute()

export interface TurnRow {
  number: number
  input: TurnInput | null
  /** Null if nothing has been saved. Until the turn ends, parts are saved when a tool that has effects starts or finishes. */
  parts: Turn['parts'] | null
  /** Null while the turn is in progress, and if it was lost, for example because its process was killed. */
  messages: Turn['messages']
  started_at: Date
}

export async function selectTurns(db: Db, workspaceId: number, id: string): Promise<TurnRow[]> {
  const rows = await db
    .selectFrom('conversation_turn')
    .select(['number', 'input', 'parts', 'messages', 'started_at'])
    .where('workspace_id', '=', workspaceId)
    .where('conversation_id', '=', id)
    .orderBy('number')
    .execute()
  return rows as TurnRow[]
}

/** Returns true if the newest turn of a chat hasn't ended, or was lost. */
export async function hasOpenTurn(db: Db, workspaceId: number, id: string): Promise<boolean> {
  const newest = await db
    .selectFrom('conversation_turn')
    .select((eb) => eb('messages', 'is', null).as('isOpen'))
    .where('workspace_id', '=', workspaceId)
    .where('conversation_id', '=', id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.isOpen === true
}

export interface TurnKey {
  workspaceId: number
  chatId: string
  number: number
}

/** Begins a turn of a locked chat. After this, an older turn that's still in progress can't be stored. */
export async function insertTurn(db: Db, key: TurnKey, input: TurnInput | null, now: Date): Promise<void> {
  const { workspaceId, chatId, number } = key
  await db
    .insertInto('conversation_turn')
    .values({
      ...{ workspace_id: workspaceId, conversation_id: chatId, number, started_at: now },
      input: input && JSON.stringify(input),
    })
    .execute()
  await db
    .updateTable('conversation')
    .set({ turn: number, last_turn_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', chatId)
    .execute()
}

/**
 * Saves the parts of a turn in progress. Its chat must be locked. Leaves out late results, because the chat keeps them until
 * the turn ends.
 */
export async function updateProgress(db: Db, key: TurnKey, parts: Turn['parts']): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('conversation_turn')
    .set({ parts: toStorableJson(parts.filter(({ type }) => type !== 'late_result')) })
    .where('workspace_id', '=', key.workspaceId)
    .where('conversation_id', '=', key.chatId)
    .where('number', '=', key.number)
    .where('messages', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

interface TurnToStore extends Pick<FinishedTurn, 'parts' | 'messages'> {
  model: string | undefined
  usage: TokenUsage
  lateResultIds: readonly string[]
  end: ConversationEnd | undefined
  now: Date
}

/** Stores the newest turn of a locked chat. */
export async function updateTurn(db: Db, key: TurnKey, turn: TurnToStore): Promise<void> {
  const { workspaceId, chatId, number } = key
  const { now, end } = turn
  await db
    .updateTable('conversation_turn')
    .set({ parts: toStorableJson(turn.parts), messages: toStorableJson(turn.messages) })
    .where('workspace_id', '=', workspaceId)
    .where('conversation_id', '=', chatId)
    .where('number', '=', number)
    .execute()
  const taken = [...turn.lateResultIds]
  await db
    .updateTable('conversation')
    .set({
      last_turn_at: now,
      ...(turn.model !== undefined && { model: turn.model }),
      late_results: sql`(
        select coalesce(jsonb_agg(late), '[]') from jsonb_array_elements(late_results) as late
        where late ->> 'id' <> all (${taken}::text[]))`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', chatId)
    .execute()
  if (end !== undefined) await updateEnd(db, workspaceId, chatId, { end, now })
}

/** Returns the new values of the columns that count a chat's tokens. */
export const addTokensOf = (usage: TokenUsage) => ({
  input_tokens: sql<number>`input_tokens + ${usage.inputTokens}`,
  output_tokens: sql<number>`output_tokens + ${usage.outputTokens}`,
  has_estimated_tokens: sql<boolean>`has_estimated_tokens or ${usage.isEstimated}`,
})

/** Adds tokens to a chat. */
export async function updateTokens(
  db: Db,
  workspaceId: number,
  chatId: string,
  usage: TokenUsage,
): Promise<void> {
  await db
    .updateTable('conversation')
    .set(addTokensOf(usage))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', chatId)
    .execute()
}

/** Ends a chat that hasn't ended yet, and makes its analysis due. */
export async function updateEnd(
  db: Db,
  workspaceId: number,
  chatId: string,
  { end, now }: { end: ConversationEnd; now: Date },
): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ ended_at: now, end_reason: end, ...toDueAnalysis(sql`${now}::timestamptz`) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', chatId)
    .where('ended_at', 'is', null)
    .execute()
}

/** Returns the analysis columns of a chat that ends. If the contact said nothing, there's nothing to analyze. */
export const toDueAnalysis = (now: RawBuilder<unknown>) => ({
  analysis_at: sql<Date | null>`case when ${hasContactSpoken} then ${now} end`,
  analysis_failure: sql<string | null>`case when not ${hasContactSpoken} then ${nothingSaid} end`,
})

const hasContactSpoken = sql<boolean>`exists (
  select from conversation_turn
  where conversation_turn.conversation_id = conversation.id and input ->> 'type' = 'speech')`

const nothingSaid = "The contact said nothing, so there's nothing to analyze."

/** Adds the result of a tool that took longer than its turn, even if the chat has ended. */
export async function addLateResult(
  db: Db,
  workspaceId: number,
  chatId: string,
  result: LateResult,
): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ late_results: sql`late_results || ${toStorableJson([result])}::jsonb` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', chatId)
    .execute()
}

/** Saves the values of the agent's results so far, unless a newer turn has begun. */
export async function updateFound(db: Db, key: TurnKey, found: Extracted): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ found: toStorableJson(found) })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.chatId)
    .where('turn', '=', key.number)
    .execute()
}
