import type { Clock } from '../../../platform/core/clock.ts'
import type { ModelFailureKind } from './failure.ts'

/** The signal of one request. It aborts with the caller's signal, and when a time limit is reached. */
export interface RequestLimit {
  signal: AbortSignal
  /** Aborts the request after `ms`, with `kind` as the reason, unless the returned function is called first. */
  abortAfter(ms: number, kind: ModelFailureKind): () => void
  /** Aborts the request as `cut` if nothing arrives. The abort comes between `ms` and twice `ms` after the last arrival. */
  abortWhenIdle(ms: number): IdleLimit
  /** Returns why the signal aborted. An aborted request looks the same for all reasons. */
  findReason(): ModelFailureKind | undefined
  /** Ends the request if it's still in progress, and releases the caller's signal. */
  end(): void
}

interface IdleLimit {
  noteArrival(): void
  /** Suspends the limit until the next arrival, because the caller is busy with what has arrived. */
  pause(): void
}

export function createRequestLimit(clock: Pick<Clock, 'wait'>, callersSignal: AbortSignal): RequestLimit {
  const request = new AbortController()
  const ended = new AbortController()
  let reason: ModelFailureKind | undefined
  const abort = (kind: ModelFailureKind) => {
    reason ??= kind
    request.abort()
  }
  const abortForCaller = () => abort('aborted')
  if (callersSignal.aborted) abortForCaller()
  else callersSignal.addEventListener('abort', abortForCaller, { once: true })

  return {
    signal: request.signal,
    abortAfter: (ms, kind) => {
      let isCanceled = false
      void clock.wait(ms, ended.signal).then(() => {
        if (!isCanceled && !ended.signal.aborted) abort(kind)
      })
      return () => (isCanceled = true)
    },
    abortWhenIdle: (ms) => {
      let hasArrival = true
      let isPaused = false
      // Uses one timer for all arrivals, because there are 20 per second in each conversation.
      const watch = async () => {
        while (hasArrival || isPaused) {
          hasArrival = false
          await clock.wait(ms, ended.signal)
          if (ended.signal.aborted) return
        }
        abort('cut')
      }
      void watch()
      return {
        noteArrival: () => {
          hasArrival = true
          isPaused = false
        },
        pause: () => (isPaused = true),
      }
    },
    findReason: () => reason,
    end: () => {
      callersSignal.removeEventListener('abort', abortForCaller)
      ended.abort()
      request.abort()
    },
  }
}
