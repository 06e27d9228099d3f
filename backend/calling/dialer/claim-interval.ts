/** A claim of many calls costs little more than one of a single call. So while many calls come, they gather for so long. */
const gatherMs = 25
/** How many calls all workers together claim in `latelyMs` before calls gather. */
const manyCalls = 10
const latelyMs = 100

/**
 * Returns a function that decides how many milliseconds pass between the starts of a claim and of the next one.
 *
 * - While few calls come, each is claimed at once. On a busy machine, claims take long, and small ones would take what the calls
 *   themselves need, so a worker spends at most half of its time on them.
 * - While many come, they gather, also for a worker that finds few, because the others find the rest.
 *
 * @param otherWorkers returns how many other processes have workers
 * @param now a clock in milliseconds that is never set back
 */
export function createClaimInterval(
  otherWorkers: () => number,
  now: () => number = () => performance.now(),
): (claimed: number, tookMs: number) => number {
  /** Calls that this worker has claimed, of which each counts less and less. */
  let claimedLately = 0
  let updatedAt = now()
  return (claimed, tookMs) => {
    const at = now()
    claimedLately = claimedLately * Math.exp((updatedAt - at) / latelyMs) + claimed
    updatedAt = at
    if (claimedLately * (1 + otherWorkers()) > manyCalls) return gatherMs
    return Math.max(5, tookMs + Math.min(tookMs, 20))
  }
}
