import type { RuntimeReport } from '@outdial/contract'
import { ApiError } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { expiredAttemptToken } from '../secrets/verify-runtime-credential.ts'
import {
  findEndReport,
  findReportedAttempt,
  findReports,
  insertReports,
  lockReports,
  toAnalysis,
} from '../telephony/http-runtime/attempt-reports.ts'
import { httpProviderName } from '../telephony/http-runtime/http-provider.ts'
import { findAttempts } from './attempt-store.ts'
import { addOptOut, finishAnalysis } from './finish-attempt.ts'

/**
 * Saves a runtime's report about an attempt. The worker that runs the attempt reads it from the table, so any replica
 * can receive it. Reports can arrive twice and out of order. A repeated report changes nothing, and a report about
 * something before the end is still saved after it.
 *
 * @param options.byToken an attempt token authenticates the report. It's valid until the attempt and its analysis end.
 * @param options.changes what was shortened or left out
 * @returns `ended` if the attempt has ended and this report can no longer change anything, except that an opt-out still counts
 * @throws {ApiError} not_found; expired_credential
 */
export const receiveReport = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  attemptId: string,
  report: RuntimeReport,
  options: { byToken?: boolean; changes?: readonly string[] } = {},
): Promise<'recorded' | 'repeated' | 'ended'> =>
  inTransaction(deps, async (tx) => {
    // Of two end reports that arrive at the same time, only one may count.
    await lockReports(tx.db, attemptId)
    const attempt = await findReportedAttempt(tx.db, httpProviderName, attemptId)
    if (attempt === undefined) throw new ApiError('not_found.attempt')
    if (options.byToken === true && attempt.endedAt !== null && !attempt.awaitsAnalysis)
      throw expiredAttemptToken()
    const reports = (await findReports(tx.db, [attemptId])).get(attemptId) ?? []
    if (reports.some(({ sequence }) => sequence === report.sequence)) return 'repeated'
    const ended = findEndReport(reports)
    // The first end report to arrive counts, regardless of sequence numbers.
    const isLate = ended !== undefined && report.sequence < ended.sequence && report.type !== 'ended'
    const isOver = ended !== undefined || attempt.endedAt !== null
    if (isOver && !isLate && report.type !== 'analysis') {
      await addLateOptOut(tx, attempt.workspaceId, attemptId, report)
      return 'ended'
    }

    await insertReports(tx.db, attemptId, [{ report, changes: options.changes ?? [] }])
    // Until the attempt ends, its worker waits for the analysis. Afterward, that worker may be gone.
    if (report.type === 'analysis' && attempt.endedAt !== null) {
      await finishAnalysis(tx, attempt, toAnalysis(report.analysis))
    }
    return 'recorded'
  })

/** Adds the number to the do-not-call list if the end report of an ended attempt says that the contact opted out. */
async function addLateOptOut(
  tx: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  attemptId: string,
  report: RuntimeReport,
): Promise<void> {
  if (report.type !== 'ended' || report.outcome !== 'answered' || report.do_not_call !== true) return
  const [dialed] = await findAttempts(tx.db, workspaceId, [attemptId])
  // The number of an erased contact isn't known.
  if (dialed === undefined || dialed.test || dialed.phoneNumber === '') return
  await addOptOut(tx, workspaceId, dialed, dialed.callId)
}
