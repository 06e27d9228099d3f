import { minuteMs } from './durations.ts'

/** A loop of this process that must complete a round regularly. It stalls if a step never ends. */
export interface Loop {
  name: string
  /** Milliseconds since the loop last completed a round. */
  ageMs(): number
  /** The age in milliseconds above which the loop counts as stalled. */
  stalledAfterMs: number
}

/** Longer than any statement or wait for a connection, so a loop doesn't stall just because the database is unavailable. */
export const defaultStalledAfterMs = 2 * minuteMs

/** Creates a loop that measures its rounds in the process's monotonic time, which tests and clock changes don't affect. */
export function createLoop(name: string, stalledAfterMs: number): Loop & { comeRound: () => void } {
  let cameRoundAt = performance.now()
  return {
    name,
    stalledAfterMs,
    ageMs: () => performance.now() - cameRoundAt,
    comeRound: () => {
      cameRoundAt = performance.now()
    },
  }
}

export const isStalled = (loop: Loop): boolean => loop.ageMs() > loop.stalledAfterMs
