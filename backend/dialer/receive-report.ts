import type { RuntimeReport } from '@outdial/contract'
import { notFound } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import {
  findEndReport,
  findReportedAttempt,
  findReports,
  httpProviderName,
  insertReports,
  toAnalysis,
} from '../telephony/http-runtime/attempt-reports.ts'
import { finishAnalysis } from './finish-attempt.ts'

/**
 * Keeps what a runtime reports of an attempt. Whoever holds the attempt reads it there, so any replica may take
 * it. Reports may come twice and in any order: a repeat changes nothing, and what is late comes before the end.
 *
 * @returns `over` where the attempt has ended, and this can change nothing any more
 * @throws {ApiError} not_found
 */
export async function receiveReport(
  deps: Deps,
  attemptId: string,
  report: RuntimeReport,
): Promise<'taken' | 'over'> {
  const attempt = await findReportedAttempt(deps.db, httpProviderName, attemptId)
  if (attempt === undefined) throw notFound('There is no attempt with this id.')
  const reports = (await findReports(deps.db, [attemptId])).get(attemptId) ?? []
  if (reports.some(({ sequence }) => sequence === report.sequence)) return 'taken'
  const ended = findEndReport(reports)
  // Of two ends the one counts that was told first, whatever their numbers.
  const isLate = ended !== undefined && report.sequence < ended.sequence && report.type !== 'ended'
  const isOver = ended !== undefined || attempt.endedAt !== null
  if (isOver && !isLate && report.type !== 'analysis') return 'over'

  await insertReports(deps.db, attemptId, [report])
  // While the attempt is held, its holder waits for this; afterwards its worker may be gone.
  if (report.type === 'analysis' && attempt.endedAt !== null) {
    await finishAnalysis(deps, attempt, toAnalysis(report.analysis))
  }
  return 'taken'
}
