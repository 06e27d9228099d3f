import type { Deps } from '../deps.ts'
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
  const { provider, ...worker } = lease
  const takenOver = await takeOverLostAttempts(deps.db, {
    ...worker,
    providers: [provider],
    limit: capacity,
  })
  if (takenOver.length === 0) return []
  const fences = new Map(takenOver.map(({ id, fence }) => [id, fence]))
  const liveAttempts = await findLiveAttempts(deps.db, [...fences.keys()])
  return liveAttempts.map((live) => {
    const { attemptId, number, test, startedAt, answeredAt } = live
    const attempt = { id: attemptId, fence: fences.get(attemptId) ?? 0, callId: live.id, number }
    return { ...toClaimedAttempt(live, attempt, test, leaseStartedMs), takenOver: { startedAt, answeredAt } }
  })
}
