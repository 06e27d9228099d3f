import type { CallOutcome, EndedReason, TranscriptTurn } from '@outdial/contract'
import { sql } from 'kysely'
import { secondMs } from '../../platform/core/durations.ts'
import { consentOfContact, type DelayingRule } from '../../platform/db/call-rules.ts'
import { hidden, prepared } from '../../platform/db/connect.ts'
import { inQueueOrder } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { contactSnapshot } from '../../queue/calls/call-settings.ts'
import type { Analysis } from '../telephony/provider.ts'
import { expiredBefore, type FencedAttempt, type LostAttempt } from './attempt-lease-store.ts'
import type { AttemptResult } from './attempt-result.ts'

/** An attempt whose call was answered at the time `at`. */
export interface AnsweredAttempt extends FencedAttempt {
  at: Date
}

/**
 * Marks calls of a workspace as in progress. Returns a boolean for each attempt: false if the attempt has ended or another
 * worker has taken it over.
 */
export async function markAnswered(
  db: Db,
  workspaceId: number,
  attempts: readonly AnsweredAttempt[],
): Promise<boolean[]> {
  const { rows } = await sql<{ attemptId: string }>`${prepared}
    with locked as (
      select call_attempt.id, answer.at
      from unnest(
        ${attempts.map(({ id }) => id)}::uuid[],
        ${attempts.map(({ fence }) => fence)}::bigint[],
        ${attempts.map(({ at }) => at)}::timestamptz[]
      ) as answer (id, fence, at)
      join call_attempt on call_attempt.id = answer.id and call_attempt.fence = answer.fence
      where call_attempt.workspace_id = ${workspaceId} and call_attempt.ended_at is null
      order by call_attempt.campaign_id, call_attempt.id
      for no key update of call_attempt
    ), answered as (
      update call_attempt set answered_at = locked.at
      from locked where call_attempt.id = locked.id
      returning call_attempt.id, call_attempt.call_id, locked.at
    )
    update call set status = 'in_progress', answered_at = answered.at
    from answered where call.id = answered.call_id
    returning answered.id as "attemptId"`.execute(db)
  const marked = new Set(rows.map(({ attemptId }) => attemptId))
  return attempts.map(({ id }) => marked.has(id))
}

/** True if the call was canceled while it was being placed. It then doesn't get another attempt. */
const isCanceled = sql<boolean>`call.canceled_by is not null`.as('isCanceled')

/** How and when an attempt ended. */
export interface AttemptEnd {
  workspaceId: number
  attempt: FencedAttempt | LostAttempt
  result: AttemptResult
  /** When the call ended. */
  at: Date
}

/**
 * Ends attempts of a workspace. Locks their calls, and returns them. Leaves out stale results: those of attempts that have
 * ended or whose fence has increased. A lost attempt is also left out if its lease was renewed meanwhile, or if another
 * transaction has locked it, because that transaction is ending it. Call it in a transaction.
 */
export async function endAttempts(db: Db, workspaceId: number, ends: readonly AttemptEnd[]) {
  const current: AttemptEnd[] = []
  for (const end of ends)
    if (!('lostForSeconds' in end.attempt) || (await lockLostAttempt(db, end.attempt))) current.push(end)
  const rows = current.map(({ attempt, result, at }) => ({
    id: attempt.id,
    fence: attempt.fence,
    at,
    outcome: result.outcome,
    ended_reason: result.endedReason,
    answered_at: result.answeredAt,
  }))
  const { rows: ended } = await sql<{ attemptId: string; callId: number }>`${prepared}
    with locked as (
      select call_attempt.id, ended.at, ended.outcome, ended.ended_reason, ended.answered_at
      from json_to_recordset(${JSON.stringify(rows)}) as ended (
        id uuid, fence bigint, at timestamptz, outcome text, ended_reason text, answered_at timestamptz
      )
      join call_attempt on call_attempt.id = ended.id and call_attempt.fence = ended.fence
      where call_attempt.workspace_id = ${workspaceId} and call_attempt.ended_at is null
      order by call_attempt.campaign_id, call_attempt.id
      for no key update of call_attempt
    )
    update call_attempt
    set ended_at = locked.at, outcome = locked.outcome, ended_reason = locked.ended_reason,
      answered_at = coalesce(locked.answered_at, call_attempt.answered_at)
    from locked where call_attempt.id = locked.id
    returning call_attempt.id as "attemptId", call_attempt.call_id as "callId"`.execute(db)
  if (ended.length === 0) return []
  const callIds = ended.map(({ callId }) => callId)
  const calls = await db
    .selectFrom('call')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .select(['call.id', 'call.campaign_id as campaignId', 'call.test', 'call.attempts'])
    .select('call.answered_at as answeredAt')
    .select(['call.to_number as phoneNumber', 'contact.time_zone as timeZone'])
    .select(consentOfContact.as('consent'))
    .select(isCanceled)
    .modifyFront(prepared)
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', '=', sql<number>`any(${hidden(callIds, 'bigint[]')})`)
    .orderBy('call.id')
    .forNoKeyUpdate('call')
    .execute()
  const attemptIds = new Map(ended.map(({ attemptId, callId }) => [callId, attemptId]))
  return calls.map((call) => ({ ...call, attemptId: attemptIds.get(call.id) }))
}

/** Locks a lost attempt. Returns false if it's no longer lost, or if another transaction has locked it. */
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

/** Returns attempts, with the columns that `finishAttempts` needs before it locks the campaigns. */
export const findAttempts = (db: Db, workspaceId: number, ids: readonly string[]) =>
  db
    .selectFrom('call_attempt')
    .innerJoin('campaign', 'campaign.id', 'call_attempt.campaign_id')
    .innerJoin('call', 'call.id', 'call_attempt.call_id')
    .select([
      'call_attempt.id',
      'call_attempt.campaign_id as campaignId',
      'call_attempt.call_id as callId',
      'call.agent_id as agentId',
      'call_attempt.to_number as phoneNumber',
      'call_attempt.started_at as startedAt',
      'call_attempt.test',
      'campaign.provider_failures as providerFailures',
      isCanceled,
    ])
    .modifyFront(prepared)
    .where('call_attempt.workspace_id', '=', workspaceId)
    .where('call_attempt.id', '=', sql<string>`any(${hidden(ids, 'uuid[]')})`)
    .execute()

/**
 * Returns the SQL that stops counting an attempt for the limits of how often its number is called. Removes only one of several
 * equal times, because another attempt can have started at the same time.
 */
const uncountUseOf = (unplaced: ReturnType<typeof sql.ref>) => sql`
  update number_use
  set placed_at = placed_at[:array_position(placed_at, unplaced.started_at) - 1]
    || placed_at[array_position(placed_at, unplaced.started_at) + 1:]
  from ${unplaced} as unplaced
  where number_use.workspace_id = unplaced.workspace_id
    and number_hash = number_hash(unplaced.workspace_id, unplaced.to_number)
    and unplaced.started_at = any(placed_at)`

/** Stops counting an attempt, which has ended but wasn't placed, for the limits of how often its number is called. */
export async function uncountUse(
  db: Db,
  { id, workspaceId }: Pick<FencedAttempt, 'id' | 'workspaceId'>,
): Promise<void> {
  await sql`
    with attempt as (select * from call_attempt where id = ${id}::uuid and workspace_id = ${workspaceId})
    ${uncountUseOf(sql.ref('attempt'))}`.execute(db)
}

/**
 * Deletes an attempt that wasn't placed, and queues its call again in its former position. The attempt no longer counts for how
 * often its number is called. Returns false if the attempt is stale.
 */
export async function undoAttempt(db: Db, attempt: FencedAttempt): Promise<boolean> {
  const { rows } = await sql`
    with undone as (
      delete from call_attempt
      where id = ${attempt.id}::uuid and workspace_id = ${attempt.workspaceId} and fence = ${attempt.fence}
        and ended_at is null
      returning workspace_id, call_id, number, to_number, started_at
    ), uncounted as (${uncountUseOf(sql.ref('undone'))}
    )
    update call set status = 'queued', attempts = undone.number - 1, next_attempt_at = call.due_at
    from undone where call.id = undone.call_id
    returning call.id`.execute(db)
  return rows.length > 0
}

/** When a call gets another attempt. */
export interface Retry {
  callId: number
  campaignId: number
  dueAt: Date
  nextAttemptAt: Date
  delayedBy: DelayingRule | null
}

/** Queues locked calls again for another attempt. */
export async function requeueCalls(db: Db, workspaceId: number, retries: readonly Retry[]): Promise<void> {
  for (const group of inQueueOrder(retries))
    await sql`${prepared}
      update call
      set status = 'queued', due_at = retry.due_at, next_attempt_at = retry.next_attempt_at,
        delayed_by = retry.delayed_by, answered_at = null
      from unnest(
        ${group.map(({ callId }) => callId)}::bigint[],
        ${group.map(({ dueAt }) => dueAt)}::timestamptz[],
        ${group.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[],
        ${group.map(({ delayedBy }) => delayedBy)}::text[]
      ) as retry (call_id, due_at, next_attempt_at, delayed_by)
      where call.workspace_id = ${workspaceId} and call.id = retry.call_id`.execute(db)
}

export interface Completion {
  callId: number
  outcome: CallOutcome
  endedReason: EndedReason
  answeredAt: Date | null
  at: Date
  transcript: TranscriptTurn[]
  summary: string | null
  recordingUrl: string | null
  optedOut: boolean
  analysis?: Analysis | null
  /** The event waits for the analysis until this time. Null if there's nothing to wait for. */
  analysisUntil: Date | null
  /** The phone number, if the call had a conversation that counts for how often the number is called. Otherwise null. */
  conversedWith: string | null
}

/** Completes locked calls, and saves for each number when a conversation took place. */
export async function completeCalls(
  db: Db,
  workspaceId: number,
  completions: readonly Completion[],
): Promise<void> {
  if (completions.length === 0) return
  const rows = completions.map(({ callId, at, answeredAt, analysis, ...completion }) => ({
    id: callId,
    outcome: completion.outcome,
    ended_reason: completion.endedReason,
    answered_at: answeredAt,
    ended_at: at,
    duration_seconds: answeredAt && secondsBetween(answeredAt, at),
    transcript: completion.transcript,
    summary: analysis?.summary ?? completion.summary,
    recording_url: completion.recordingUrl,
    opted_out: completion.optedOut,
    sentiment: analysis?.sentiment,
    goal_met: analysis?.goalMet,
    extracted: analysis?.extracted,
    analysis_until: completion.analysisUntil,
    conversed_with: completion.conversedWith,
  }))
  await sql`${prepared}
    with completed as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}) as completed (
        id bigint, outcome text, ended_reason text, answered_at timestamptz, ended_at timestamptz, duration_seconds int,
        transcript jsonb, summary text, recording_url text, opted_out boolean, sentiment text, goal_met boolean,
        extracted jsonb, analysis_until timestamptz, conversed_with text
      )
    ), conversed as (
      update number_use set answered_at = conversation.at
      from (
        select number_hash(${workspaceId}, conversed_with) as hash, coalesce(answered_at, ended_at) as at
        from completed where conversed_with is not null
      ) as conversation
      where workspace_id = ${workspaceId} and number_hash = conversation.hash
    )
    update call
    set status = 'completed', outcome = completed.outcome, ended_reason = completed.ended_reason,
      -- A worker that ends a lost worker's attempt doesn't know when the call was answered. The stored time then stays.
      answered_at = coalesce(completed.answered_at, call.answered_at),
      ended_at = completed.ended_at, duration_seconds = completed.duration_seconds,
      transcript = completed.transcript, summary = completed.summary, recording_url = completed.recording_url,
      sentiment = coalesce(completed.sentiment, call.sentiment),
      opted_out = completed.opted_out or call.opted_out,
      goal_met = coalesce(completed.goal_met, call.goal_met),
      extracted = case completed.outcome
        when 'answered' then unknown_results(call.agent_id, call.agent_version) else '{}'
      end || coalesce(completed.extracted, call.extracted),
      analysis_until = completed.analysis_until,
      -- If the event waits for the analysis, the contact can still change, so saveAnalyses saves the snapshot later.
      completed_contact = case when completed.analysis_until is null
        then ${contactSnapshot(sql.ref('call.contact_id'))} end
    from completed
    where call.id = completed.id and call.workspace_id = ${workspaceId}`.execute(db)
}

/** Returns whole seconds. 0 if the times are in the wrong order, because two clocks that differ measured them. */
const secondsBetween = (from: Date, to: Date): number =>
  Math.max(0, Math.round((to.getTime() - from.getTime()) / secondMs))

/**
 * Saves the analyses of a workspace's calls. A call without an analysis stops waiting for one. Returns the IDs of the calls
 * that were waiting.
 */
export async function saveAnalyses(
  db: Db,
  workspaceId: number,
  calls: readonly { callId: number; analysis: Analysis | undefined }[],
): Promise<number[]> {
  const rows = calls.map(({ callId, analysis }) => ({
    id: callId,
    summary: analysis?.summary,
    sentiment: analysis?.sentiment,
    goal_met: analysis?.goalMet,
    extracted: analysis?.extracted,
  }))
  const { rows: saved } = await sql<{ id: number }>`${prepared}
    with waiting as (
      select call.id, analyzed.summary, analyzed.sentiment, analyzed.goal_met, analyzed.extracted
      from json_to_recordset(${JSON.stringify(rows)}) as analyzed (
        id bigint, summary text, sentiment text, goal_met boolean, extracted jsonb
      )
      join call on call.id = analyzed.id
      where call.workspace_id = ${workspaceId} and call.analysis_until is not null
      order by call.id
      for no key update of call
    )
    update call
    set analysis_until = null, summary = coalesce(waiting.summary, call.summary),
      sentiment = coalesce(waiting.sentiment, call.sentiment), goal_met = coalesce(waiting.goal_met, call.goal_met),
      extracted = call.extracted || coalesce(waiting.extracted, '{}'),
      completed_contact = coalesce(call.completed_contact, ${contactSnapshot(sql.ref('call.contact_id'))})
    from waiting where call.id = waiting.id
    returning call.id`.execute(db)
  return saved.map(({ id }) => id)
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
