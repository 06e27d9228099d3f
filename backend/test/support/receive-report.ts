import type { RuntimeReport } from '@outdial/contract'
import { lateResults } from '../../calling/dialer/late-results.ts'
import { receiveReport as receive } from '../../calling/telephony/http-runtime/receive-report.ts'
import type { Deps } from '../../deps.ts'

/** Receives a report as the service does, including the dialer's handling of late results. */
export const receiveReport = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  attemptId: string,
  report: RuntimeReport,
  options?: Parameters<typeof receive>[3],
) => receive({ ...deps, lateResults }, attemptId, report, options)
