import type { RuntimeReport } from '@outdial/contract'
import { sql } from 'kysely'
import { hidden, prepared } from '../../../platform/db/connect.ts'
import type { Db } from '../../../platform/db/schema.ts'

/** Finds an attempt in any workspace, because a runtime serves all workspaces. */
export const findReportedAttempt = (db: Db, provider: string, attemptId: string) =>
  db
    .selectFrom('call_attempt')
    .innerJoin('call', 'call.id', 'call_attempt.call_id')
    .select([
      'call_attempt.workspace_id as workspaceId',
      'call_attempt.call_id as callId',
      'call_attempt.ended_at as endedAt',
      // Only the last attempt of a call has a conversation to analyze.
      sql<boolean>`call.analysis_until is not null and call.attempts = call_attempt.number`.as(
        'awaitsAnalysis',
      ),
    ])
    .modifyFront(prepared)
    .where('call_attempt.id', '=', attemptId)
    .where('call_attempt.provider', '=', provider)
    .executeTakeFirst()

/**
 * Makes other transactions that save a report of this attempt wait until this one ends. Uses an advisory lock, because
 * locking the attempt's row first would break the order of locks, in which the contact's row comes first.
 */
export const lockReports = async (db: Db, attemptId: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${attemptId}, 0))`.execute(db)
}

/** A valid report, and what was changed to make it valid. */
export interface ReceivedReport {
  report: RuntimeReport
  /** The parts of the report that were shortened, replaced, or left out, without values. */
  changes: readonly string[]
}

/**
 * Saves the first report of each sequence number, or none if the contact or the conversation was erased.
 *
 * @returns the changes of each saved report that was changed
 */
export const insertReports = async (
  db: Db,
  attemptId: string,
  reports: readonly ReceivedReport[],
): Promise<string[][]> => {
  if (reports.length === 0) return []
  const { rows } = await sql<{ changes: string[] }>`${prepared}
    with existing as (
      select contact.id
      from call_attempt join call on call.id = call_attempt.call_id join contact on contact.id = call.contact_id
      where call_attempt.id = ${attemptId}::uuid and contact.erased_at is null and call.conversation_erased_at is null
      for no key update of contact
    )
    insert into attempt_report (attempt_id, sequence, body, changes)
    select ${attemptId}::uuid, (report ->> 'sequence')::int, report, changes
    from existing cross join jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as received (report jsonb, changes text[])
    on conflict (attempt_id, sequence) do nothing
    returning changes`.execute(db)
  return rows.map(({ changes }) => changes).filter((changes) => changes.length > 0)
}

/**
 * Returns the reports by attempt ID, in order of sequence number. Attempts without reports are left out. Doesn't validate
 * reports, because they were valid when they arrived, and the limits may have changed since.
 */
export const findReports = async (
  db: Db,
  attemptIds: readonly string[],
): Promise<Map<string, RuntimeReport[]>> => {
  const rows = await db
    .selectFrom('attempt_report')
    .select(['attempt_id', 'body'])
    .modifyFront(prepared)
    .where('attempt_id', '=', sql<string>`any(${hidden(attemptIds, 'uuid[]')})`)
    .orderBy('sequence')
    .execute()
  const byAttempt = Map.groupBy(rows, (row) => row.attempt_id)
  return new Map([...byAttempt].map(([id, attemptRows]) => [id, attemptRows.map((row) => row.body)]))
}

/** Returns a call's last attempt, which is the one with the conversation. */
export const findLastAttempt = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('call_attempt')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('number', 'desc')
    .executeTakeFirst()

/** Deletes what runtimes have reported about calls of a workspace. */
export async function deleteReportsOfCalls(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await sql`
    delete from attempt_report using call_attempt
    where call_attempt.workspace_id = ${workspaceId} and call_attempt.call_id = any(${callIds}::bigint[])
      and attempt_report.attempt_id = call_attempt.id`.execute(db)
}
