import { type RuntimeReport, RuntimeReport as ReportSchema } from '@outdial/contract'
import type { Db } from '../../db/schema.ts'

/** Attempts are found by their UUID alone: the runtime's secret is the service's, not a workspace's. */
export const findReportedAttempt = (db: Db, line: string, attemptId: string) =>
  db
    .selectFrom('attempt')
    .select(['workspace_id as workspaceId', 'call_id as callId', 'ended_at as endedAt'])
    .where('id', '=', attemptId)
    .where('line', '=', line)
    .executeTakeFirst()

/** Keeps the first report of each sequence number. */
export const insertReports = async (
  db: Db,
  attemptId: string,
  reports: readonly RuntimeReport[],
): Promise<void> => {
  if (reports.length === 0) return
  await db
    .insertInto('attempt_report')
    .values(
      reports.map((report) => ({
        attempt_id: attemptId,
        sequence: report.sequence,
        body: JSON.stringify(report),
      })),
    )
    .onConflict((conflict) => conflict.columns(['attempt_id', 'sequence']).doNothing())
    .execute()
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
  return new Map([...byAttempt].map(([id, own]) => [id, own.map((row) => ReportSchema.parse(row.body))]))
}

/** The attempt in which a call was talked. */
export const findTalkOf = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('attempt')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('number', 'desc')
    .executeTakeFirst()
