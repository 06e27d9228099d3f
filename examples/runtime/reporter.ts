import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeReport } from '@outdial/contract'

/** A report before it has its place in the order and its time. */
export type ReportInput = RuntimeReport extends infer Report
  ? Report extends unknown
    ? Omit<Report, 'sequence' | 'at'>
    : never
  : never

/** What has become of one call, told to Outdial in order, each until it is taken. */
export interface Reporter {
  /** Everything so far, sent or not: whoever asks is told it. */
  reports: readonly RuntimeReport[]
  addReport(input: ReportInput): void
}

export function createReporter(url: string, secret: string): Reporter {
  const reports: RuntimeReport[] = []
  let sending = Promise.resolve()
  return {
    reports,
    addReport: (input) => {
      const report = { ...input, sequence: reports.length + 1, at: new Date().toISOString() }
      reports.push(report)
      sending = sending.then(() => send(url, secret, report))
    },
  }
}

/** Again and again, until it is taken or will never be: Outdial may be starting anew. */
async function send(url: string, secret: string, report: RuntimeReport): Promise<void> {
  for (;;) {
    const status = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify(report),
    }).then(
      (response) => response.status,
      () => 503,
    )
    if (status < 500 && status !== 429) return
    await delay(1_000)
  }
}
