import type { CallOutcome, EndedReason, TranscriptTurn } from '@outdial/contract'
import { sql } from 'kysely'
import { contactSnapshot } from '../calls/call-settings.ts'
import { secondMs } from '../core/durations.ts'
import { prepared } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import type { Analysis } from '../telephony/provider.ts'
import { expiredBefore, type FencedAttempt, type LostAttempt } from './attempt-lease-store.ts'

/** Marks a call as in progress. Returns false if the attempt has ended or another worker has taken it over. */
export async function markAnswered(db: Db, attempt: FencedAttempt, at: Date): Promise<boolean> {
  const { rows } = await sql`${prepared}
    with answered as (
      update call_attempt set answered_at = ${at}
      where id = ${attempt.id}::uuid and workspace_id = ${attempt.workspaceId} and fence = ${attempt.fence}
        and ended_at is null
      returning call_id
    )
    update call set status = 'in_progress', answered_at = ${at}
    from answered where call.id = answered.call_id
    returning call.id`.execute(db)
  return rows.length > 0
}

/**
 * Ends an attempt and locks its call. Returns undefined if the result is stale, because the attempt has ended or its
 * fence has increased. A lost attempt is also skipped if its lease was renewed meanwhile, or if another transaction has
 * locked it, because that transaction is ending it. Call it in a transaction.
 */
export const endAttempt = async (
  db: Db,
  attempt: FencedAttempt | LostAttempt,
  result: { outcome: CallOutcome; endedReason: EndedReason; answeredAt: Date | null; at: Date },
) => {
  if ('lostForSeconds' in attempt && !(await lockLostAttempt(db, attempt))) return undefined
  const ended = await db
    .updateTable('call_attempt')
    .set((eb) => ({
      ended_at: result.at,
      outcome: result.outcome,
      ended_reason: result.endedReason,
      answered_at: eb.fn.coalesce(eb.val(result.answeredAt), 'answered_at'),
    }))
    .where('id', '=', attempt.id)
    .where('workspace_id', '=', attempt.workspaceId)
    .where('fence', '=', attempt.fence)
    .where('ended_at', 'is', null)
    .returning('call_id')
    .modifyEnd(prepared)
    .executeTakeFirst()
  if (ended === undefined) return undefined
  return db
    .selectFrom('call')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .select(['call.id', 'call.to_number as phoneNumber', 'call.attempts', 'contact.time_zone as timeZone'])
    .modifyFront(prepared)
    .where('call.workspace_id', '=', attempt.workspaceId)
    .where('call.id', '=', ended.call_id)
    .forNoKeyUpdate('call')
    .executeTakeFirstOrThrow()
}

/** Returns false if the attempt isn't lost any longer, or if another transaction has locked it. */
const lockLostAttempt = async (db: Db, attempt: LostAttempt): Promise<boolean> => {
  const locked = await db
    .selectFrom('call_attempt')
    .select('id')
    .where('id', '=', attempt.id)
    .where('workspace_id', '=', attempt.workspaceId)
    .where('ended_at', 'is', null)
    .where('lease_until', '<', expiredBefore(attempt.lostForSeconds))
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  return locked !== undefined
}

/** Returns what `finishAttempt` needs before it locks the campaign. */
export const findAttempt = (db: Db, attempt: Pick<FencedAttempt, 'id' | 'workspaceId'>) =>
  db
    .selectFrom('call_attempt')
    .innerJoin('campaign', 'campaign.id', 'call_attempt.campaign_id')
    .innerJoin('call', 'call.id', 'call_attempt.call_id')
    .select([
      'call_attempt.campaign_id as campaignId',
      'call_attempt.call_id as callId',
      'call.agent_id as agentId',
      'call_attempt.to_number as phoneNumber',
      'call_attempt.test',
      'campaign.provider_failures as providerFailures',
    ])
    .modifyFront(prepared)
    .where('call_attempt.workspace_id', '=', attempt.workspaceId)
    .where('call_attempt.id', '=', attempt.id)
    .executeTakeFirst()

/**
 * Deletes an attempt that wasn't placed, and queues its call again in its former position. Returns false if the attempt
 * is stale.
 */
export async function undoAttempt(db: Db, attempt: FencedAttempt): Promise<boolean> {
  const { rows } = await sql`
    with undone as (
      delete from call_attempt
      where id = ${attempt.id}::uuid and workspace_id = ${attempt.workspaceId} and fence = ${attempt.fence}
        and ended_at is null
      returning call_id, number
    )
    update call set status = 'queued', attempts = undone.number - 1, next_attempt_at = call.due_at
    from undone where call.id = undone.call_id
    returning call.id`.execute(db)
  return rows.length > 0
}

/** Queues a call again for another attempt. */
export const requeueCall = async (
  db: Db,
  workspaceId: number,
  callId: number,
  retry: { dueAt: Date; nextAttemptAt: Date },
): Promise<void> => {
  await db
    .updateTable('call')
    .set({ status: 'queued', due_at: retry.dueAt, next_attempt_at: retry.nextAttemptAt, answered_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .execute()
}

export interface Completion {
  outcome: CallOutcome
  endedReason: EndedReason
  answeredAt: Date | null
  at: Date
  transcript: TranscriptTurn[]
  summary: string | null
  recordingUrl: string | null
  analysis?: Analysis | null
  /** The event waits for the analysis until this time. Null if there's nothing to wait for. */
  analysisUntil: Date | null
}

export const completeCall = async (
  db: Db,
  workspaceId: number,
  callId: number,
  completion: Completion,
): Promise<void> => {
  await db
    .updateTable('call')
    .set((eb) => ({
      status: 'completed',
      outcome: completion.outcome,
      ended_reason: completion.endedReason,
      // A worker that ends a lost worker's attempt doesn't know whether it was answered, but the row does.
      answered_at: eb.fn.coalesce(eb.val(completion.answeredAt), 'answered_at'),
      ended_at: completion.at,
      duration_seconds: completion.answeredAt && secondsBetween(completion.answeredAt, completion.at),
      transcript: JSON.stringify(completion.transcript),
      summary: completion.summary,
      recording_url: completion.recordingUrl,
      ...(completion.analysis && toAnalysisColumns(completion.analysis)),
      analysis_until: completion.analysisUntil,
      // If the event waits for the analysis, the contact can still change.
      ...(completion.analysisUntil === null && {
        completed_contact: contactSnapshot(sql.ref('call.contact_id')),
      }),
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .modifyEnd(prepared)
    .execute()
}

/** Returns whole seconds. 0 if the times are in the wrong order, because two clocks that differ measured them. */
const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, Math.round((to.getTime() - from.getTime()) / secondMs))

const toAnalysisColumns = ({ summary, sentiment, goalMet, extracted }: Analysis) => ({
  summary,
  sentiment,
  goal_met: goalMet,
  extracted: JSON.stringify(extracted),
})

/** Saves the analysis, or that there is none. Returns false if the call isn't waiting for an analysis. */
export const saveAnalysis = async (
  db: Db,
  workspaceId: number,
  callId: number,
  analysis: Analysis | undefined,
): Promise<boolean> => {
  const updated = await db
    .updateTable('call')
    .set({
      analysis_until: null,
      ...(analysis && toAnalysisColumns(analysis)),
      completed_contact: sql<string>`coalesce(completed_contact, ${contactSnapshot(sql.ref('call.contact_id'))})`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .where('analysis_until', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

export const setProviderFailures = async (db: Db, campaignId: number, failures: number): Promise<void> => {
  await db.updateTable('campaign').set({ provider_failures: failures }).where('id', '=', campaignId).execute()
}

/** Pauses a campaign if it's active. */
export const pauseFailingCampaign = async (db: Db, campaignId: number, reason: string): Promise<void> => {
  await db
    .updateTable('campaign')
    .set({ status: 'paused', paused_reason: reason })
    .where('id', '=', campaignId)
    .where('status', '=', 'active')
    .execute()
}
