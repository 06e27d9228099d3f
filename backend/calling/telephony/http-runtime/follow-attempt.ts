import type { RuntimeReport } from '@outdial/contract'
import type { Deps } from '../../../deps.ts'
import { minuteMs, secondMs } from '../../../platform/core/durations.ts'
import { callLimits, type DialControls, type ProviderResult } from '../provider.ts'
import { findAnsweredAt, findProviderResult } from './attempt-reports.ts'
import { UnreadableStateError } from './parse-call-state.ts'
import type { ReportReader } from './report-reader.ts'
import { insertReports } from './report-store.ts'
import { type DialStatus, type RuntimeClient, RuntimeUnavailableError } from './runtime-client.ts'

export interface FollowDeps extends Pick<Deps, 'db' | 'clock'> {
  runtime: RuntimeClient
  /**
   * Called when a request to the runtime or the database fails, or when a report can't be read. A failed request is
   * retried.
   */
  onError: (attemptId: string, error: unknown) => void
  /** Called with the changes of each report that was repaired. */
  onRepair: (attemptId: string, repaired: readonly string[][]) => void
}

/** A runtime that reports nothing for this long is asked for the call's state. */
const silenceTimeoutMs = 15 * secondMs
/** The delay between requests to an unreachable runtime. */
const retryDelayMs = 2 * secondMs
/**
 * The delay doubles up to this maximum while it's unclear whether the runtime accepted an attempt, because an outage can take
 * days, and while the runtime's response can't be read, because the next response will probably be the same.
 */
const maxRetryDelayMs = minuteMs

/** A placeholder: the result isn't used after `detached` aborts. */
export const detachedResult: ProviderResult = { outcome: 'failed' }

/**
 * The status of an attempt's dial request. During `sending`, the runtime may not have received the request yet, so a 404
 * proves nothing.
 */
export type RequestStatus = DialStatus | 'sending'

/** An attempt that a runtime makes, with what's needed to follow it. */
interface FollowedAttempt {
  deps: FollowDeps
  reports: Pick<ReportReader, 'read'>
  attemptId: string
  dialing: DialControls
}

/**
 * Follows an attempt until the runtime reports its end or doesn't know it. Asks the runtime for the call's state:
 *
 * - if it's unclear whether the runtime accepted the attempt
 * - if the runtime has reported nothing for a while
 * - before hanging up at the ring limit, so that a contact who has just answered isn't cut off. If the runtime's response
 *   can't be read, nothing says that the contact answered, so the limit applies.
 *
 * If the runtime was unavailable for the dial request, and then doesn't know the attempt, the attempt wasn't placed.
 */
export async function followAttempt(
  attempt: FollowedAttempt,
  getStatus: () => RequestStatus,
): Promise<ProviderResult> {
  const { deps, dialing } = attempt
  const { clock } = deps
  let reportCount = 0
  let lastReportAt = clock.now().getTime()
  let nextAskAt = 0
  let askDelayMs = retryDelayMs
  let isConfirmed = false
  let isKnown = false
  let ringHasTimedOut = false
  let ringWasChecked = false
  for (;;) {
    const reports = await pollReports(attempt)
    if (dialing.detached.aborted) return detachedResult
    if (reports === undefined) continue
    const result = findProviderResult(reports)
    if (result !== undefined) return result
    const answeredAt = findAnsweredAt(reports)
    if (answeredAt !== undefined) dialing.onAnswer(answeredAt)
    const status = getStatus()
    if (status === 'rejected') return { outcome: 'failed' }
    if (status === 'unsent') return { outcome: 'not_placed' }
    const ringTimedOut = dialing.ringTimeout.aborted && answeredAt === undefined
    if (dialing.signal.aborted || (ringTimedOut && ringWasChecked)) return hangUp(attempt)
    if (status === 'sending') continue

    const now = clock.now().getTime()
    if (reports.length > reportCount) lastReportAt = now
    reportCount = reports.length
    if (reports.length > 0) isKnown = true
    if (ringTimedOut && !ringHasTimedOut) {
      ringHasTimedOut = true
      nextAskAt = now
      askDelayMs = retryDelayMs
    }
    const isUncertain = (status === 'unknown' || status === 'unavailable') && !isConfirmed
    const isSilent = now >= lastReportAt + silenceTimeoutMs
    if (now < nextAskAt || !(isUncertain || ringTimedOut || isSilent)) continue
    nextAskAt = now + askDelayMs
    const response = await askRuntime(attempt)
    if (response === 'not_found')
      return readFinalReports(attempt, status === 'unavailable' && !isKnown ? 'not_placed' : 'unknown')
    const isUnclear = response === 'unavailable' && isUncertain && !isKnown
    const isReadable = response !== 'unreadable' && response !== 'incomplete'
    if (isUnclear || !isReadable) askDelayMs = Math.min(askDelayMs * 2, maxRetryDelayMs)
    if (isUnclear) dialing.onAcceptance('unclear')
    if (response === 'unavailable' || response === 'failed') continue
    ringWasChecked = ringTimedOut
    if (response === 'unreadable') continue
    isKnown = true
    dialing.onAcceptance('confirmed')
    if (response === 'incomplete') continue
    askDelayMs = retryDelayMs
    lastReportAt = now
    isConfirmed = true
  }
}

/** Returns the reports so far. Undefined if the database couldn't be read, which says nothing about the call. */
const pollReports = ({
  deps,
  reports,
  attemptId,
  dialing,
}: FollowedAttempt): Promise<readonly RuntimeReport[] | undefined> =>
  reports.read(attemptId, dialing.detached).catch((error: unknown) => {
    deps.onError(attemptId, error)
    return undefined
  })

/** Asks the runtime for its reports and saves them. */
async function askRuntime({
  deps: { db, runtime, onError, onRepair },
  attemptId,
}: FollowedAttempt): Promise<
  'received' | 'incomplete' | 'unreadable' | 'not_found' | 'unavailable' | 'failed'
> {
  try {
    const received = await runtime.getCallState(attemptId)
    if (received === 'not_found') return 'not_found'
    const repaired = await insertReports(db, attemptId, received.reports)
    if (repaired.length > 0) onRepair(attemptId, repaired)
    if (received.unreadable.length === 0) return 'received'
    onError(attemptId, unreadableError(received.unreadable))
    return 'incomplete'
  } catch (error) {
    onError(attemptId, error)
    if (error instanceof UnreadableStateError) return 'unreadable'
    return error instanceof RuntimeUnavailableError ? 'unavailable' : 'failed'
  }
}

const unreadableError = (unreadable: string[]) =>
  new UnreadableStateError(
    `the runtime's response has reports that can't be read: ${unreadable.slice(0, 10).join(', ')}`,
  )

/**
 * Returns the saved result, or `outcome` if there is none. A runtime that no longer knows the attempt may have reported the
 * attempt's end earlier.
 */
async function readFinalReports(
  attempt: FollowedAttempt,
  outcome: 'not_placed' | 'unknown',
): Promise<ProviderResult> {
  for (;;) {
    const reports = await pollReports(attempt)
    if (attempt.dialing.detached.aborted) return detachedResult
    if (reports === undefined) continue
    return findProviderResult(reports) ?? { outcome }
  }
}

/** Hangs up. Resolves only when the call is known to be over; until then, the number must not be called again. */
async function hangUp(attempt: FollowedAttempt): Promise<ProviderResult> {
  const { deps, attemptId, dialing } = attempt
  const { clock, runtime, onError } = deps
  for (;;) {
    const isConfirmed = await runtime.hangUp(attemptId).then(
      () => true,
      (error: unknown) => (onError(attemptId, error), false),
    )
    const waitMs = isConfirmed ? callLimits.handOverSeconds * secondMs : retryDelayMs
    const deadline = clock.now().getTime() + waitMs
    do {
      const result = findProviderResult((await pollReports(attempt)) ?? [])
      if (dialing.detached.aborted) return detachedResult
      if (result !== undefined) return result
    } while (clock.now().getTime() < deadline)
    if (isConfirmed) return { outcome: 'no_answer' }
  }
}
