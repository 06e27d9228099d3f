import { minuteMs } from './durations.ts'

/** A loop of this process that must complete a round regularly. It stalls if a step never ends. */
export interface Loop {
  name: string
  /** Milliseconds since it last completed a round. */
  ageMs(): number
  /** The age from which it counts as stalled. */
  stalledAfterMs: number
}

/** No statement and no wait for a connection takes this long: a loop comes round while the database is away. */
export const defaultStalledAfterMs = 2 * minuteMs

/** Records when a loop comes round, in the process's monotonic time, which tests and clock changes don't affect. */
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
