import type { TranscriptTurn } from '@outdial/contract'
import type { Clock } from '../core/clock.ts'
import type { Deps } from '../deps.ts'
import type { TelephonyProviders } from '../telephony/choose-providers.ts'
import type { Analysis, DialRequest, TelephonyProvider } from '../telephony/provider.ts'
import { releaseLease } from './attempt-lease-store.ts'
import { emptyResult } from './attempt-result.ts'
import { markAnswered } from './attempt-store.ts'
import type { ClaimedAttempt } from './claim-calls.ts'
import { analysisTimeoutMs, finishAnalysis, finishAttempt } from './finish-attempt.ts'
import type { Leases } from './leases.ts'
import { supervise } from './supervise.ts'

/**
 * Makes one claimed attempt, or goes on with one that was taken over: dials, records the answer, finishes,
 * settles the analysis. Where the lease is lost it hangs up and writes nothing: the sweeper decides. `stop` aborts
 * when the process must end: a line that outlives it keeps its calls, for the next worker to take over.
 */
export async function runAttempt(
  deps: Deps,
  providers: TelephonyProviders,
  leases: Leases,
  onError: (error: unknown, attemptId: string) => void,
  attempt: ClaimedAttempt,
  stop: AbortSignal,
): Promise<void> {
  const provider = attempt.test ? providers.test : providers.real
  const lease = leases.track(attempt)
  const reportError = (error: unknown) => onError(error, attempt.id)
  const writeWithRetry = <Result>(work: () => Promise<Result>) =>
    retryUntil(deps.clock, lease.lost, work, reportError)
  try {
    const staleLease = new AbortController()
    let answering = Promise.resolve()
    const result = await supervise(deps.clock, provider, attempt, {
      abandon: AbortSignal.any([lease.lost, stop, staleLease.signal]),
      onAnswer: (at) => {
        answering = writeWithRetry(() => markAnswered(deps.db, attempt, at)).then(
          (isHolder) => void (isHolder || staleLease.abort()),
          reportError,
        )
      },
      onProviderError: reportError,
    })
    const hungUpAt = result?.endedAt ?? deps.clock.now()
    await answering
    if (result === undefined && provider.resumable) return await releaseUnlessLost(deps, attempt, lease.lost)
    if (result === undefined && !stop.aborted) return
    const finalResult = result ?? emptyResult('failed', 'worker_lost')
    const status = await writeWithRetry(() => finishAttempt(deps, attempt, finalResult, hungUpAt))
    lease.release()
    if (status !== 'analyzing') return
    const analysis = await analyzeConversation(deps, provider, attempt.request, finalResult.transcript, {
      stop,
      report: reportError,
    })
    // It may come yet, and whoever takes it settles it, or the sweeper.
    if (analysis === undefined && provider.resumable && stop.aborted) return
    await finishAnalysis(deps, { workspaceId: attempt.workspaceId, callId: attempt.request.callId }, analysis)
  } finally {
    lease.release()
  }
}

/** What is lost already is somebody else's. */
async function releaseUnlessLost(deps: Deps, attempt: ClaimedAttempt, lost: AbortSignal): Promise<void> {
  if (!lost.aborted) await releaseLease(deps.db, attempt)
}

/** Undefined where there is none in time: the event does not wait any longer. */
async function analyzeConversation(
  deps: Deps,
  provider: TelephonyProvider,
  request: DialRequest,
  transcript: TranscriptTurn[],
  options: { stop: AbortSignal; report: (error: unknown) => void },
): Promise<Analysis | undefined> {
  const done = new AbortController()
  const onError = (error: unknown) => void options.report(error)
  const analysis = provider.analyze(request, transcript, done.signal).catch(onError)
  const timeout = deps.clock.wait(analysisTimeoutMs, AbortSignal.any([done.signal, options.stop]))
  try {
    return (await Promise.race([analysis, timeout])) ?? undefined
  } finally {
    done.abort()
  }
}

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
