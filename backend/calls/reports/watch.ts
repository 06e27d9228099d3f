import type { RuntimeReport } from '@outdial/contract'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../db/schema.ts'
import { findReports } from '../../telephony/http-runtime/attempt-reports.ts'

/**
 * What has been reported of an attempt, a moment later. All who ask within that moment share one statement, so
 * that five hundred calls cost the database no more than one.
 */
export function watchReports(
  deps: { db: Db; clock: Clock },
  momentMs: number,
): (attemptId: string, until: AbortSignal) => Promise<readonly RuntimeReport[]> {
  let wanted = new Map<string, AbortSignal>()
  let looking: Promise<Map<string, RuntimeReport[]>> | undefined

  const look = async () => {
    await deps.clock.wait(momentMs)
    const asked = wanted
    wanted = new Map()
    looking = undefined
    const ids = [...asked].filter(([, until]) => !until.aborted).map(([id]) => id)
    return ids.length === 0 ? new Map<string, RuntimeReport[]>() : findReports(deps.db, ids)
  }

  return async (attemptId, until) => {
    wanted.set(attemptId, until)
    looking ??= look()
    return (await looking).get(attemptId) ?? []
  }
}
