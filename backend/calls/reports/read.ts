import type { RuntimeAnalysis, RuntimeReport } from '@outdial/contract'
import type { Analysis } from '../../telephony/provider.ts'

/** The end that counts: the first that was told. */
export const findEndReport = (reports: readonly RuntimeReport[]) =>
  reports.find((report) => report.type === 'ended')

/** When somebody or something picked up; undefined where that has not been told. */
export function findAnsweredAt(reports: readonly RuntimeReport[]): Date | undefined {
  const answered = reports.find((report) => report.type === 'answered')
  return answered && new Date(answered.at)
}

/** Undefined while it is to come, null where there is none. */
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
