import type { RuntimeReport } from '@outdial/contract'
import type { Deps } from '../../../deps.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import { ApiError } from '../../../platform/core/errors.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { expiredAttemptToken } from '../../../platform/secrets/verify-runtime-credential.ts'
import type { LateResults } from '../provider.ts'
import {
  findEndReport,
  findReportedAttempt,
  findReports,
  insertReports,
  lockReports,
  toAnalysis,
} from './attempt-reports.ts'
import { httpProviderName } from './http-provider.ts'

/** The dependencies for receiving a report. `lateResults` saves results that no worker is waiting for. */
interface ReportDeps extends Pick<Deps, 'config' | 'db' | 'clock' | 'notify'> {
  lateResults: LateResults
}

/**
 * Saves a runtime's report about an attempt. The worker that runs the attempt is notified and reads it from the table,
 * so any replica can receive it. Reports can arrive twice and out of order. A repeated report changes nothing. A report
 * with a lower sequence number than the end report is still saved after it.
 *
 * @param options.byToken true if an attempt token authenticates the report. The token is valid until the attempt and its
 *   analysis end, and for an opt-out a day longer.
 * @param options.changes what was shortened or left out to make the report valid
 * @returns `ended` if the attempt has ended and this report can no longer change anything, except that an opt-out still counts
 * @throws {ApiError} not_found; expired_credential
 */
export const receiveReport = (
  deps: ReportDeps,
  attemptId: string,
  report: RuntimeReport,
  options: { byToken?: boolean; changes?: readonly string[] } = {},
): Promise<'recorded' | 'repeated' | 'ended'> =>
  inTransaction(deps, async (tx) => {
    // Only one of two end reports that arrive at the same time may count.
    await lockReports(tx.db, attemptId)
    const attempt = await findReportedAttempt(tx.db, httpProviderName, attemptId)
    if (attempt === undefined) throw new ApiError('not_found.attempt')
    const { endedAt } = attempt
    const isTokenExpired = options.byToken === true && endedAt !== null && !attempt.awaitsAnalysis
    if (isTokenExpired) {
      const isRecent = tx.clock.now().getTime() < endedAt.getTime() + lateOptOutMs
      if (!isRecent || !saysOptOut(report)) throw expiredAttemptToken()
    }
    const reports = (await findReports(tx.db, [attemptId])).get(attemptId) ?? []
    if (reports.some(({ sequence }) => sequence === report.sequence)) return 'repeated'
    const ended = findEndReport(reports)
    // The first end report to arrive counts, regardless of sequence numbers.
    const isLate = ended !== undefined && report.sequence < ended.sequence && report.type !== 'ended'
    const isOver = ended !== undefined || endedAt !== null
    if (isOver && !isLate && report.type !== 'analysis') {
      if (saysOptOut(report))
        await tx.lateResults.addOptOut(tx, { id: attemptId, workspaceId: attempt.workspaceId, endedAt })
      return 'ended'
    }

    await insertReports(tx.db, attemptId, [{ report, changes: options.changes ?? [] }])
    tx.notify.reportReceived(attemptId)
    // Before the attempt ends, its worker reads the analysis from the reports. Afterward, the worker might have stopped waiting.
    if (report.type === 'analysis' && endedAt !== null) {
      await tx.lateResults.saveAnalysis(tx, attempt, toAnalysis(report.analysis))
    }
    return 'recorded'
  })

/** How long after its end an attempt's token can still report that the contact opted out. */
const lateOptOutMs = dayMs

const saysOptOut = (report: RuntimeReport): boolean =>
  report.type === 'ended' && report.outcome === 'answered' && report.do_not_call === true
