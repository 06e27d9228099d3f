import type { Deps } from '../deps.ts'
import { findLiveAttempts, takeOverLostAttempts } from './attempt-lease-store.ts'
import { type ClaimedAttempt, type Lease, toClaimedAttempt } from './claim-calls.ts'

/**
 * Takes over at most `room` attempts whose workers are gone, on a line that outlives them. Nobody is rung: the
 * line is asked what became of the call. The fence grows, so that the last holder has no say any more.
 */
export async function takeOverAttempts(
  deps: Pick<Deps, 'db'>,
  lease: Lease,
  capacity: number,
): Promise<ClaimedAttempt[]> {
  const leasedAt = performance.now()
  const { provider, ...worker } = lease
  const takenOver = await takeOverLostAttempts(deps.db, {
    ...worker,
    providers: [provider],
    limit: capacity,
  })
  if (takenOver.length === 0) return []
  const fences = new Map(takenOver.map(({ id, fence }) => [id, fence]))
  const liveAttempts = await findLiveAttempts(deps.db, [...fences.keys()])
  return liveAttempts.map((live) => ({
    ...toClaimedAttempt(
      live,
      {
        id: live.attempt_id,
        fence: fences.get(live.attempt_id) ?? 0,
        call_id: live.id,
        number: live.number,
      },
      live.test,
      leasedAt,
    ),
    takenOver: { startedAt: live.started_at, answeredAt: live.answered_at },
  }))
}
