import { type RuntimeAnalysis, RuntimeReport } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Analysis, ProviderResult } from '../provider.ts'

/** Finds an attempt in any workspace: the runtime secret belongs to the service, not to a workspace. */
export const findReportedAttempt = (db: Db, provider: string, attemptId: string) =>
  db
    .selectFrom('call_attempt')
    .select(['workspace_id as workspaceId', 'call_id as callId', 'ended_at as endedAt'])
    .where('id', '=', attemptId)
    .where('provider', '=', provider)
    .executeTakeFirst()

/** Saves the first report of each sequence number; none where the contact or the conversation was erased. */
export const insertReports = async (
  db: Db,
  attemptId: string,
  reports: readonly RuntimeReport[],
): Promise<void> => {
  if (reports.length === 0) return
  await sql`
    with kept as (
      select contact.id
      from call_attempt join call on call.id = call_attempt.call_id join contact on contact.id = call.contact_id
      where call_attempt.id = ${attemptId}::uuid and contact.erased_at is null and call.conversation_erased_at is null
      for key share of contact
    )
    insert into attempt_report (attempt_id, sequence, body)
    select ${attemptId}::uuid, (report ->> 'sequence')::int, report
    from kept cross join jsonb_array_elements(${JSON.stringify(reports)}::jsonb) report
    on conflict (attempt_id, sequence) do nothing`.execute(db)
}

/** Returns the reports by attempt, in the order of what happened. Attempts without a report are left out. */
export const findReports = async (
  db: Db,
  attemptIds: readonly string[],
): Promise<Map<string, RuntimeReport[]>> => {
  const rows = await db
    .selectFrom('attempt_report')
    .select(['attempt_id', 'body'])
    .where('attempt_id', 'in', attemptIds)
    .orderBy('sequence')
    .execute()
  const byAttempt = Map.groupBy(rows, (row) => row.attempt_id)
  return new Map(
    [...byAttempt].map(([id, attemptRows]) => [id, attemptRows.map((row) => RuntimeReport.parse(row.body))]),
  )
}

/** Returns the attempt in which a call's conversation took place. */
const findLastAttempt = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('call_attempt')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('number', 'desc')
    .executeTakeFirst()

/** Returns the end report that counts: the first. */
export const findEndReport = (reports: readonly RuntimeReport[]) =>
  reports.find((report) => report.type === 'ended')

/** Returns when a person or a machine answered; undefined where that hasn't been reported. */
export function findAnsweredAt(reports: readonly RuntimeReport[]): Date | undefined {
  const answered = reports.find((report) => report.type === 'answered')
  return answered && new Date(answered.at)
}

/** Returns undefined while the analysis can still arrive, null where there is none. */
export function findAnalysis(reports: readonly RuntimeReport[]): Analysis | null | undefined {
  const ended = findEndReport(reports)
  const analysisAtEnd = ended?.outcome === 'answered' ? ended.analysis : undefined
  const reported =
    analysisAtEnd ?? reports.find((report) => report.type === 'analysis')?.analysis ?? analysisAtEnd
  return reported && toAnalysis(reported)
}

export const toAnalysis = ({ summary, sentiment, goal_met, extracted }: RuntimeAnalysis): Analysis => ({
  summary,
  sentiment,
  goalMet: goal_met,
  extracted,
})

/** Returns the analysis that a runtime has reported for a call. Undefined where there is none. */
export async function findReportedAnalysis(
  db: Db,
  call: { workspaceId: number; callId: number },
): Promise<Analysis | undefined> {
  const attempt = await findLastAttempt(db, call.workspaceId, call.callId)
  if (attempt === undefined) return undefined
  const reports = (await findReports(db, [attempt.id])).get(attempt.id) ?? []
  return findAnalysis(reports) ?? undefined
}

/** Returns the reports of an attempt after a moment; none where `signal` has aborted by then. */
export type ReportReader = (attemptId: string, signal: AbortSignal) => Promise<readonly RuntimeReport[]>

/** Creates a reader that waits `intervalMs` and reads with one statement for all attempts requested meanwhile. */
export function createReportReader(deps: Pick<Deps, 'db' | 'clock'>, intervalMs: number): ReportReader {
  let pending = new Map<string, AbortSignal>()
  let query: Promise<Map<string, RuntimeReport[]>> | undefined

  const readPending = async () => {
    await deps.clock.wait(intervalMs)
    const requested = pending
    pending = new Map()
    query = undefined
    const ids = [...requested].filter(([, signal]) => !signal.aborted).map(([id]) => id)
    return ids.length === 0 ? new Map<string, RuntimeReport[]>() : findReports(deps.db, ids)
  }

  return async (attemptId, signal) => {
    pending.set(attemptId, signal)
    query ??= readPending()
    return (await query).get(attemptId) ?? []
  }
}

export const httpProviderName = 'http'

export function toProviderResult(report: RuntimeReport & { type: 'ended' }): ProviderResult {
  const endedAt = new Date(report.at)
  if (report.outcome === 'voicemail') {
    const { outcome, transcript, summary } = report
    return { outcome, transcript, summary, answeredAt: new Date(report.answered_at), endedAt }
  }
  if (report.outcome !== 'answered') return { outcome: report.outcome, endedAt }
  return {
    outcome: 'answered',
    endedReason: report.ended_reason,
    transcript: report.transcript,
    recordingUrl: report.recording_url ?? null,
    optedOut: report.do_not_call ?? false,
    answeredAt: new Date(report.answered_at),
    endedAt,
  }
}

/** Deletes what runtimes reported about the attempts of these calls. */
export async function deleteReportsOfCalls(tx: Db, callIds: readonly number[]): Promise<void> {
  await sql`
    delete from attempt_report using call_attempt
    where call_attempt.call_id = any(${callIds}::bigint[]) and attempt_report.attempt_id = call_attempt.id`.execute(
    tx,
  )
}
