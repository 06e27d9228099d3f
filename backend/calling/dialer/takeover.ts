import type { Deps } from '../../deps.ts'
import { findLiveAttempts, takeOverLostAttempts } from './attempt-lease-store.ts'
import { type ClaimedAttempt, type Lease, toClaimedAttempt } from './claim-calls.ts'

/**
 * Takes over at most `capacity` attempts of lost workers. Their provider is resumable, so it's asked for the state of
 * each call and doesn't dial again.
 */
export async function takeOverAttempts(
  deps: Pick<Deps, 'db'>,
  lease: Lease,
  capacity: number,
): Promise<ClaimedAttempt[]> {
  const leaseStartedMs = performance.now()
  // Uses one transaction. If it fails, the rollback lets the next worker take over the attempts at once.
  const { fences, liveAttempts } = await deps.db.transaction().execute(async (db) => {
    const takenOver = await takeOverLostAttempts(db, { ...lease, limit: capacity })
    const byId = new Map(takenOver.map(({ id, fence }) => [id, fence]))
    return { fences: byId, liveAttempts: byId.size === 0 ? [] : await findLiveAttempts(db, [...byId.keys()]) }
  })
  return liveAttempts.map((live) => {
    const { attemptId, number, test, startedAt, answeredAt } = live
    const attempt = { id: attemptId, fence: fences.get(attemptId) ?? 0, callId: live.id, number }
    return { ...toClaimedAttempt(live, attempt, test, leaseStartedMs), takenOver: { startedAt, answeredAt } }
  })
}
