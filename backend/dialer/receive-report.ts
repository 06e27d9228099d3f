import type { RuntimeReport } from '@outdial/contract'
import { findDoNotCallRemovals } from '../calls/check-do-not-call.ts'
import { dayMs } from '../core/durations.ts'
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
 * Saves a runtime's report about an attempt. The worker that runs the attempt is notified and reads it from the table,
 * so any replica can receive it. Reports can arrive twice and out of order. A repeated report changes nothing, and a
 * report about something before the end is still saved after it.
 *
 * @param options.byToken an attempt token authenticates the report. It's valid until the attempt and its analysis end, and for
 *   an opt-out a day longer.
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
      if (saysOptOut(report)) await addLateOptOut(tx, attempt, attemptId)
      return 'ended'
    }

    await insertReports(tx.db, attemptId, [{ report, changes: options.changes ?? [] }])
    tx.notify.reportReceived(attemptId)
    // Until the attempt ends, its worker waits for the analysis. Afterward, that worker may be gone.
    if (report.type === 'analysis' && endedAt !== null) {
      await finishAnalysis(tx, attempt, toAnalysis(report.analysis))
    }
    return 'recorded'
  })

/** How long after its end an attempt's token can still report that the contact opted out. */
const lateOptOutMs = dayMs

const saysOptOut = (report: RuntimeReport): boolean =>
  report.type === 'ended' && report.outcome === 'answered' && report.do_not_call === true

/**
 * Adds the number of an ended attempt to the do-not-call list, unless a member has removed it since: the runtime can send the
 * report again at any time.
 */
async function addLateOptOut(
  tx: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  { workspaceId, endedAt }: { workspaceId: number; endedAt: Date | null },
  attemptId: string,
): Promise<void> {
  const [dialed] = await findAttempts(tx.db, workspaceId, [attemptId])
  // The number of an erased contact isn't known.
  if (dialed === undefined || dialed.test || dialed.phoneNumber === '') return
  const [removal] = await findDoNotCallRemovals(tx.db, workspaceId, dialed.phoneNumber)
  if (removal !== undefined && endedAt !== null && removal.at > endedAt) return
  await addOptOut(tx, workspaceId, dialed, dialed.callId)
}
