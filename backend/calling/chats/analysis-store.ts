import { sql } from 'kysely'
import { toStorableJson } from '../../platform/core/text.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { ConversationAnalysis } from '../conversation/model/analysis.ts'
import type { TokenUsage } from '../conversation/model/usage.ts'
import { addTokensOf, toDueAnalysis } from './chat-store.ts'

/** An attempt to analyze a chat. Only a chat's newest attempt is stored. */
export interface AnalysisAttempt {
  workspaceId: number
  chatId: string
  agentId: number
  agentVersion: number
  /**
   * 1 for the first attempt. It also fences the lease: once a newer attempt has started, an older one can't store how it ended.
   */
  number: number
}

/** Leases chats whose analysis is due, so that only one process analyzes each of them. */
export async function leaseAnalyses(
  db: Db,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<AnalysisAttempt[]> {
  const { rows } = await sql<AnalysisAttempt>`
    with due as (
      select id from conversation
      where analysis_at <= ${now}
      order by analysis_at
      limit ${limit}
      for no key update skip locked
    )
    update conversation
    set analysis_at = ${until}, analysis_attempts = analysis_attempts + 1
    from due where conversation.id = due.id
    returning workspace_id as "workspaceId", conversation.id as "chatId", agent_id as "agentId",
      agent_version as "agentVersion", analysis_attempts as number`.execute(db)
  return rows
}

/** How an attempt ended. `failure` is a sentence for the operator. A stopped attempt doesn't count, and is repeated. */
export type AnalysisEnd =
  | { type: 'analysis'; analysis: ConversationAnalysis }
  | { type: 'failure'; failure: string }
  | { type: 'retry' | 'stopped'; at: Date }

/**
 * Stores how an attempt ended, and adds its tokens to the chat. Stores nothing if another process has leased the chat
 * meanwhile, or if the chat was deleted.
 */
export async function saveAnalysisEnd(
  db: Db,
  { workspaceId, chatId, number }: AnalysisAttempt,
  end: AnalysisEnd,
  usage: TokenUsage,
): Promise<void> {
  await db
    .updateTable('conversation')
    .set({
      analysis_at: 'at' in end ? end.at : null,
      ...(end.type === 'stopped' && { analysis_attempts: number - 1 }),
      ...(end.type === 'analysis' && { analysis: toStorableJson(end.analysis) }),
      ...(end.type === 'failure' && { analysis_failure: end.failure }),
      ...addTokensOf(usage),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', chatId)
    .where('analysis_attempts', '=', number)
    .where('analysis_at', 'is not', null)
    .execute()
}

/** Ends chats that have had no turn after `since`, and makes their analyses due. Returns the number of chats that it ended. */
export async function endIdleChats(
  db: Db,
  { now, since, limit }: { now: Date; since: Date; limit: number },
): Promise<number> {
  const due = toDueAnalysis(sql`${now}::timestamptz`)
  const { numAffectedRows = 0n } = await sql`
    with idle as (
      select id from conversation
      where ended_at is null and last_turn_at <= ${since}
      order by last_turn_at
      limit ${limit}
      for no key update skip locked
    )
    update conversation
    set ended_at = ${now}, end_reason = 'idle',
      analysis_at = ${due.analysis_at}, analysis_failure = ${due.analysis_failure}
    from idle where conversation.id = idle.id`.execute(db)
  return Number(numAffectedRows)
}

/** Marks analyses as failed if they were due at `since` or earlier, and no process has leased them since then. */
export async function giveUpAnalyses(db: Db, since: Date, failure: string): Promise<void> {
  await sql`
    update conversation set analysis_at = null, analysis_failure = ${failure}
    where id in (
      select id from conversation where analysis_at <= ${since} for no key update skip locked
    )`.execute(db)
}
