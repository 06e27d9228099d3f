import type { RuntimeAnalysis, RuntimeReport } from '@outdial/contract'
import type { Analysis } from '../../telephony/provider.ts'

/** The end that counts: the first that was told. */
export const endIn = (reports: readonly RuntimeReport[]) => reports.find((report) => report.type === 'ended')

/** When somebody or something picked up; undefined where that has not been told. */
export function answeredAtIn(reports: readonly RuntimeReport[]): Date | undefined {
  const answered = reports.find((report) => report.type === 'answered')
  return answered && new Date(answered.at)
}

/** Undefined while it is to come, null where there is none. */
export function analysisIn(reports: readonly RuntimeReport[]): Analysis | null | undefined {
  const end = endIn(reports)
  const atEnd = end?.outcome === 'answered' ? end.analysis : undefined
  const told = atEnd ?? reports.find((report) => report.type === 'analysis')?.analysis ?? atEnd
  return told && toAnalysis(told)
}

export const toAnalysis = ({ summary, sentiment, goal_met, extracted }: RuntimeAnalysis): Analysis => ({
  summary,
  sentiment,
  goalMet: goal_met,
  extracted,
})
