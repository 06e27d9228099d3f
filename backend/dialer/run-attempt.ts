import type { TranscriptLine } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { markAnswered, releaseLease } from './attempt-store.ts'
import type { ClaimedAttempt } from './claim-calls.ts'
import { analysisLimitMs, finishAttempt, silentEnd } from './finish-attempt.ts'
import type { Leases } from './leases.ts'
import type { Lines } from '../telephony/choose-providers.ts'
import type { Analysis, DialRequest, Line } from '../telephony/provider.ts'
import { persist } from '../calls/persist.ts'
import { settleAnalysis } from '../calls/settle.ts'
import { supervise } from './supervise.ts'

/**
 * Makes one claimed attempt, or goes on with one that was taken over: dials, records the answer, finishes,
 * settles the analysis. Where the lease is lost it hangs up and writes nothing: the sweeper decides. `stop` aborts
 * when the process must end: a line that outlives it keeps its calls, for the next worker to take over.
 */
export const placeCall =
  (deps: Deps, lines: Lines, leases: Leases, onError: (error: unknown, attemptId: string) => void) =>
  async (attempt: ClaimedAttempt, stop: AbortSignal): Promise<void> => {
    const line = attempt.test ? lines.test : lines.real
    const lease = leases.hold(attempt)
    const report = (error: unknown) => onError(error, attempt.id)
    const write = <Result>(work: () => Promise<Result>) => persist(deps.clock, lease.lost, work, report)
    try {
      const overruled = new AbortController()
      let answering = Promise.resolve()
      const end = await supervise(deps.clock, line, attempt, {
        giveUp: AbortSignal.any([lease.lost, stop, overruled.signal]),
        onAnswer: (at) => {
          answering = write(() => markAnswered(deps.db, attempt, at)).then(
            (ours) => void (ours || overruled.abort()),
            report,
          )
        },
        onLineError: report,
      })
      const hungUpAt = end?.endedAt ?? deps.clock.now()
      await answering
      if (end === undefined && line.outlivesWorker) return await letGo(deps, attempt, lease.lost)
      if (end === undefined && !stop.aborted) return
      const told = end ?? silentEnd('failed', 'worker_lost')
      const finished = await write(() => finishAttempt(deps)(attempt, told, hungUpAt))
      lease.release()
      if (finished !== 'analysing') return
      const analysis = await analyse(deps, line, attempt.request, told.transcript, { stop, report })
      // It may come yet, and whoever takes it settles it, or the sweeper.
      if (analysis === undefined && line.outlivesWorker && stop.aborted) return
      await settleAnalysis(deps)(
        { workspaceId: attempt.workspaceId, callId: attempt.request.callId },
        analysis,
      )
    } finally {
      lease.release()
    }
  }

/** What is lost already is somebody else's. */
async function letGo(deps: Deps, attempt: ClaimedAttempt, lost: AbortSignal): Promise<void> {
  if (!lost.aborted) await releaseLease(deps.db, attempt)
}

/** Undefined where there is none in time: the event does not wait any longer. */
async function analyse(
  deps: Deps,
  line: Line,
  request: DialRequest,
  transcript: TranscriptLine[],
  watch: { stop: AbortSignal; report: (error: unknown) => void },
): Promise<Analysis | undefined> {
  const over = new AbortController()
  const failed = (error: unknown) => void watch.report(error)
  const reading = line.analyse(request, transcript, over.signal).catch(failed)
  const limit = deps.clock.wait(analysisLimitMs, AbortSignal.any([over.signal, watch.stop]))
  try {
    return (await Promise.race([reading, limit])) ?? undefined
  } finally {
    over.abort()
  }
}
