import type { Clock } from './clock.ts'
import { createLoop, defaultStalledAfterMs, type Loop } from './loop.ts'

export interface PeriodicJob {
  loops: readonly Loop[]
  /** Prevents further runs, aborts the signal of the current one, and resolves when it has ended. */
  stop(): Promise<void>
}

/**
 * Runs `work` repeatedly, with `intervalMs` between the end of one run and the start of the next. If `work` returns true,
 * there's more to do, and the next run starts immediately. A failed run is reported to `onError` and followed by the usual
 * interval.
 *
 * @param options.name the name of its loop in /readyz and the metrics
 * @param options.maxRunMs milliseconds after which a run counts as stalled
 * @param options.firstAfterMs milliseconds until the first run; 0 by default
 */
export function startPeriodicJob(
  clock: Clock,
  options: {
    name: string
    intervalMs: number
    maxRunMs?: number
    firstAfterMs?: number
    work: (signal: AbortSignal) => unknown
    onError: (error: unknown) => void
  },
): PeriodicJob {
  const { name, intervalMs, maxRunMs = defaultStalledAfterMs, firstAfterMs = 0, work, onError } = options
  const round = createLoop(name, intervalMs + maxRunMs)
  const stopping = new AbortController()
  const { signal } = stopping

  const loop = async () => {
    let waitMs = firstAfterMs
    for (;;) {
      if (waitMs > 0) await clock.wait(waitMs, signal)
      if (signal.aborted) return
      round.comeRound()
      const hasMore = await Promise.resolve(signal).then(work).catch(onError)
      waitMs = hasMore === true ? 0 : intervalMs
    }
  }
  const ended = loop()

  return {
    loops: [round],
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
