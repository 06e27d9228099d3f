import type { TranscriptTurn } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { TelephonyProviders } from '../telephony/choose-providers.ts'
import type { Analysis, DialRequest, TelephonyProvider } from '../telephony/provider.ts'
import { releaseLease } from './attempt-lease-store.ts'
import { emptyResult } from './attempt-result.ts'
import type { AttemptWriter } from './attempt-writer.ts'
import type { ClaimedAttempt } from './claim-calls.ts'
import { analysisTimeoutMs } from './finish-attempt.ts'
import type { Leases } from './leases.ts'
import { superviseAttempt } from './supervise.ts'

type RunDeps = Pick<Deps, 'db' | 'clock'>

/** The parts of a dialer that its attempts share. */
interface AttemptRunner {
  providers: TelephonyProviders
  leases: Leases
  writer: AttemptWriter
  onError: (error: unknown, attemptId: string) => void
}

/**
 * Runs one claimed attempt, or continues one that was taken over: dials, records the answer, finishes the attempt, and
 * saves the analysis.
 *
 * - Lease lost: writes no result, unless the call limit has already ended the call. The worker or sweeper that takes over
 *   decides how the attempt ends.
 * - Process stop, resumable provider: releases the lease, and the next worker takes over the call.
 * - Process stop, any other provider: hangs up and ends the attempt as failed.
 *
 * @param stop aborts when the process must end
 */
export async function runAttempt(
  deps: RunDeps,
  { providers, leases, writer, onError }: AttemptRunner,
  attempt: ClaimedAttempt,
  stop: AbortSignal,
): Promise<void> {
  const provider = attempt.test ? providers.test : providers.real
  const lease = leases.track(attempt)
  const reportError = (error: unknown) => onError(error, attempt.id)
  const writeWithRetry = <Result>(work: () => Promise<Result>) =>
    retryUntil(deps.clock, lease.lost, work, reportError)
  const stale = new AbortController()
  let answerWritten = Promise.resolve()
  const writeAnswer = async (at: Date) => {
    const isMarked = await writeWithRetry(() => writer.markAnswered(attempt, at))
    if (!isMarked) stale.abort()
  }
  try {
    const supervised = await superviseAttempt(deps.clock, provider, attempt, {
      abandon: AbortSignal.any([lease.lost, stop, stale.signal]),
      onAnswer: (at) => {
        answerWritten = writeAnswer(at).catch(reportError)
      },
      onProviderError: reportError,
    })
    const now = deps.clock.now()
    await answerWritten
    if (supervised === 'abandoned' && provider.resumable) {
      if (!lease.lost.aborted) await releaseLease(deps.db, attempt)
      return
    }
    if (supervised === 'abandoned' && !stop.aborted) return
    const result = supervised === 'abandoned' ? emptyResult('failed', 'worker_lost') : supervised
    const endedAt = result.endedAt ?? now
    const status = await writeWithRetry(() => writer.finishAttempt(attempt, result, endedAt))
    lease.release()
    if (status === 'analyzing')
      await analyzeCall(deps, { provider, writer, onError: reportError }, attempt, result.transcript, stop)
  } finally {
    lease.release()
  }
}

/** Saves the analysis of a completed call, or that there is none, and publishes the call's event. */
async function analyzeCall(
  { clock }: Pick<Deps, 'clock'>,
  runner: { provider: TelephonyProvider; writer: AttemptWriter; onError: (error: unknown) => void },
  { workspaceId, request }: ClaimedAttempt,
  transcript: TranscriptTurn[],
  stop: AbortSignal,
): Promise<void> {
  const { provider, writer, onError } = runner
  const analysis = await waitForAnalysis(clock, provider, { request, transcript }, stop, onError)
  // The provider can still report the analysis, and `lateResults` or the sweeper then saves it.
  if (analysis === undefined && provider.resumable && stop.aborted) return
  await writer.finishAnalysis({ workspaceId, callId: request.callId, analysis })
}

/** Returns the provider's analysis. Undefined if there is none, or if it doesn't arrive in time. */
async function waitForAnalysis(
  clock: Clock,
  provider: TelephonyProvider,
  { request, transcript }: { request: DialRequest; transcript: TranscriptTurn[] },
  stop: AbortSignal,
  onError: (error: unknown) => void,
): Promise<Analysis | undefined> {
  const done = new AbortController()
  const analysis = provider
    .analyze(request, transcript, done.signal)
    .catch((error: unknown) => onError(error))
  const timeout = clock.wait(analysisTimeoutMs, AbortSignal.any([done.signal, stop]))
  try {
    return (await Promise.race([analysis, timeout])) ?? undefined
  } finally {
    done.abort()
  }
}

/**
 * Retries `work` until it succeeds or `signal` aborts. A provider reports a result only once, so a short outage of the
 * database must not lose it.
 *
 * @throws the last error, if `signal` has aborted
 */
async function retryUntil<Result>(
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
