import type { Clock } from '../core/clock.ts'

/**
 * Does `work`, again and again while it fails, until `until` aborts: what a line has told is told once, and a
 * database that is away for a moment must not lose it.
 *
 * @throws the last error, once `until` has aborted
 */
export async function retryUntil<Result>(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<Result>,
  onError: (error: unknown) => void,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) throw error
      onError(error)
      await clock.wait(500, signal)
    }
  }
}
