import type { RuntimeReport } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { findReports } from './report-store.ts'

/** Returns the reports of an attempt after a short wait, or none if `signal` aborts during the wait. */
export type ReportReader = (attemptId: string, signal: AbortSignal) => Promise<readonly RuntimeReport[]>

/** Creates a reader that waits `intervalMs` and then reads all attempts requested during the wait in one statement. */
export function createReportReader(deps: Pick<Deps, 'db' | 'clock'>, intervalMs: number): ReportReader {
  let pending = new Map<string, AbortSignal>()
  let query: Promise<Map<string, RuntimeReport[]>> | undefined

  const readPending = async () => {
    await deps.clock.wait(intervalMs)
    const requested = pending
    pending = new Map()
    query = undefined
    const ids = [...requested].filter(([, signal]) => !signal.aborted).map(([id]) => id)
    return ids.length === 0 ? new Map<string, RuntimeReport[]>() : findReports(deps.db, ids)
  }

  return async (attemptId, signal) => {
    pending.set(attemptId, signal)
    query ??= readPending()
    return (await query).get(attemptId) ?? []
  }
}
