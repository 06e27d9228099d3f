import {
  claimCalls,
  type ClaimDeps,
  type ClaimedAttempt,
  type Lease,
} from '../../calling/dialer/claim-calls.ts'
import { newDialerTurns } from '../../calling/dialer/claim-store.ts'

/** Claims calls, and waits until the next turns of their campaigns are saved. */
export async function claimAndSettle(
  deps: ClaimDeps,
  lease: Lease,
  capacity: number,
  turns = newDialerTurns(),
): Promise<ClaimedAttempt[]> {
  const claimed = await claimCalls(deps, lease, capacity, turns)
  await turns.settled
  return claimed
}
