import type { RuntimeReport } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { lateResults } from '../../dialer/late-results.ts'
import { receiveReport as receive } from '../../telephony/http-runtime/receive-report.ts'

/** Receives a report as the service does, with the dialer. */
export const receiveReport = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  attemptId: string,
  report: RuntimeReport,
  options?: Parameters<typeof receive>[3],
) => receive({ ...deps, lateResults }, attemptId, report, options)
