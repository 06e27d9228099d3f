/** How long a claim waits for more calls while many come. A claim of many calls costs little more than a claim of one. */
const gatherMs = 25
/** If all workers together claim more calls than this in `latelyMs`, claims wait for `gatherMs`. */
const manyCalls = 10
const latelyMs = 100

/**
 * Returns a function that decides how many milliseconds pass between the start of a claim and the start of the next one.
 *
 * - While few calls come, each is claimed almost at once. A worker pauses after a claim for as long as the claim took, but at
 *   most 20 ms. Otherwise, on a busy machine, many small claims would use the time that the calls themselves need.
 * - While many calls come, claims wait for `gatherMs`, even if this worker finds few, because other workers find the rest.
 *
 * @param otherWorkers returns how many other processes have workers
 * @param now a clock in milliseconds that is never set back
 */
export function createClaimInterval(
  otherWorkers: () => number,
  now: () => number = () => performance.now(),
): (claimed: number, tookMs: number) => number {
  /** The number of calls that this worker has claimed. The older a call is, the less it counts. */
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
