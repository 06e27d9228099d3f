import type { Db } from '../../db/schema.ts'
import type { Analysis } from '../../telephony/provider.ts'
import { findAnalysis } from './read.ts'
import { findReports, findLastAttempt } from '../../telephony/http-runtime/attempt-reports.ts'

/** What a runtime has reported of a call's talk, whoever was to wait for it. Undefined where there is nothing. */
export async function findReportedAnalysis(
  db: Db,
  call: { workspaceId: number; callId: number },
): Promise<Analysis | undefined> {
  const attempt = await findLastAttempt(db, call.workspaceId, call.callId)
  if (attempt === undefined) return undefined
  const reports = (await findReports(db, [attempt.id])).get(attempt.id) ?? []
  return findAnalysis(reports) ?? undefined
}
