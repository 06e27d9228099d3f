import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeReport } from '@outdial/contract'

/** A report without its sequence number and time. */
export type ReportInput = RuntimeReport extends infer Report
  ? Report extends unknown
    ? Omit<Report, 'sequence' | 'at'>
    : never
  : never

/** Sends the reports of one call to Outdial in order, each until it's accepted. */
interface Reporter {
  /** All reports so far, sent or not. */
  reports: readonly RuntimeReport[]
  addReport(input: ReportInput): void
}

export function createReporter(url: string, attemptToken: string): Reporter {
  const reports: RuntimeReport[] = []
  let sending = Promise.resolve()
  return {
    reports,
    addReport: (input) => {
      const report = { ...input, sequence: reports.length + 1, at: new Date().toISOString() }
      reports.push(report)
      sending = sending.then(() => send(url, attemptToken, report))
    },
  }
}

/** Sends a report until it's accepted or rejected for good. Outdial may be restarting. */
async function send(url: string, attemptToken: string, report: RuntimeReport): Promise<void> {
  for (;;) {
    const status = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${attemptToken}` },
      body: JSON.stringify(report),
    }).then(
      (response) => response.status,
      () => 503,
    )
    if (status < 500 && status !== 429) return
    await delay(1_000)
  }
}
