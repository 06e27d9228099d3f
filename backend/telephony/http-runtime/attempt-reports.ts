import { type RuntimeReport, RuntimeReport as ReportSchema } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** Attempts are found by their UUID alone: the runtime's secret is the service's, not a workspace's. */
export const findReportedAttempt = (db: Db, provider: string, attemptId: string) =>
  db
    .selectFrom('attempt')
    .select(['workspace_id as workspaceId', 'call_id as callId', 'ended_at as endedAt'])
    .where('id', '=', attemptId)
    .where('line', '=', provider)
    .executeTakeFirst()

/** Keeps the first report of each sequence number, and none of a contact or a talk that was erased: nobody reads it. */
export const insertReports = async (
  db: Db,
  attemptId: string,
  reports: readonly RuntimeReport[],
): Promise<void> => {
  if (reports.length === 0) return
  await sql`
    with kept as (
      select contact.id
      from attempt join call on call.id = attempt.call_id join contact on contact.id = call.contact_id
      where attempt.id = ${attemptId}::uuid and contact.erased_at is null and call.talk_erased_at is null
      for key share of contact
    )
    insert into attempt_report (attempt_id, sequence, body)
    select ${attemptId}::uuid, (report ->> 'sequence')::int, report
    from kept cross join jsonb_array_elements(${JSON.stringify(reports)}::jsonb) report
    on conflict (attempt_id, sequence) do nothing`.execute(db)
}

/** What has been reported of attempts, in the order of what happened. Attempts without a report are left out. */
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
    [...byAttempt].map(([id, attemptRows]) => [id, attemptRows.map((row) => ReportSchema.parse(row.body))]),
  )
}

/** The attempt in which a call was talked. */
export const findLastAttempt = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('attempt')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('number', 'desc')
    .executeTakeFirst()
