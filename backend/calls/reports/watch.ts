import type { RuntimeReport } from '@outdial/contract'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../db/schema.ts'
import { findReports } from '../../telephony/http-runtime/attempt-reports.ts'

/**
 * What has been reported of an attempt, a moment later. All who ask within that moment share one statement, so
 * that five hundred calls cost the database no more than one.
 */
export function createReportReader(
  deps: { db: Db; clock: Clock },
  intervalMs: number,
): (attemptId: string, signal: AbortSignal) => Promise<readonly RuntimeReport[]> {
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
