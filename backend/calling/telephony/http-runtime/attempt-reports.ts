import type { RuntimeAnalysis, RuntimeReport } from '@outdial/contract'
import type { Db } from '../../../platform/db/schema.ts'
import type { CallKey } from '../../../queue/calls/get-calls.ts'
import type { Analysis, ProviderResult } from '../provider.ts'
import { findLastAttempt, findReports } from './report-store.ts'

export {
  deleteReportsOfCalls,
  findReportedAttempt,
  findReports,
  insertReports,
  lockReports,
} from './report-store.ts'

/** Returns the first end report, which is the one that counts. */
export const findEndReport = (reports: readonly RuntimeReport[]) =>
  reports.find((report) => report.type === 'ended')

/** Returns when a person or a machine answered. Undefined if that hasn't been reported. */
export function findAnsweredAt(reports: readonly RuntimeReport[]): Date | undefined {
  const answered = reports.find((report) => report.type === 'answered')
  return answered && new Date(answered.at)
}

/**
 * Returns the analysis. Undefined if it can still arrive, null if the end report says there is none. A separate
 * analysis report counts in both cases.
 */
export function findAnalysis(reports: readonly RuntimeReport[]): Analysis | null | undefined {
  const ended = findEndReport(reports)
  const analysisAtEnd = ended?.outcome === 'answered' ? ended.analysis : undefined
  if (analysisAtEnd) return toAnalysis(analysisAtEnd)
  const separateReport = reports.find((report) => report.type === 'analysis')
  if (separateReport !== undefined) return toAnalysis(separateReport.analysis)
  return analysisAtEnd
}

export const toAnalysis = ({ summary, sentiment, goal_met, extracted }: RuntimeAnalysis): Analysis => ({
  summary,
  sentiment: sentiment ?? 'unknown',
  goalMet: goal_met,
  extracted: extracted ?? {},
})

/** Returns the analysis that a runtime has reported for a call. Undefined if there is none. */
export async function findReportedAnalysis(db: Db, call: CallKey): Promise<Analysis | undefined> {
  const attempt = await findLastAttempt(db, call.workspaceId, call.callId)
  if (attempt === undefined) return undefined
  const reports = (await findReports(db, [attempt.id])).get(attempt.id) ?? []
  return findAnalysis(reports) ?? undefined
}

/** Returns how the call ended. Undefined until its end is reported. */
export function findProviderResult(reports: readonly RuntimeReport[]): ProviderResult | undefined {
  const ended = findEndReport(reports)
  if (ended === undefined) return undefined
  const endedAt = new Date(ended.at)
  if (ended.outcome === 'voicemail') {
    const { outcome, transcript, summary } = ended
    return { outcome, transcript, summary, answeredAt: new Date(ended.answered_at), endedAt }
  }
  if (ended.outcome !== 'answered') return { outcome: ended.outcome, endedAt }
  return {
    outcome: 'answered',
    endedReason: ended.ended_reason,
    transcript: ended.transcript,
    recordingUrl: ended.recording_url ?? null,
    optedOut: ended.do_not_call ?? false,
    analysis: findAnalysis(reports),
    answeredAt: new Date(ended.answered_at),
    endedAt,
  }
}
