import type { RuntimeDialRequest, RuntimeReport } from '@outdial/contract'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../db/schema.ts'
import {
  callLimits,
  type DialControls,
  type DialRequest,
  type ProviderResult,
  type TelephonyProvider,
} from '../provider.ts'
import { toolSessionUrl } from '../tool-session.ts'
import {
  createReportReader,
  findAnalysis,
  findAnsweredAt,
  findEndReport,
  httpProviderName,
  insertReports,
  toProviderResult,
} from './attempt-reports.ts'
import type { RuntimeClient } from './runtime-client.ts'

export interface HttpProviderDeps {
  db: Db
  clock: Clock
  runtime: RuntimeClient
  /** Where the runtime reaches this service, without a trailing slash. */
  internalUrl: string
  /** Hears why the runtime or the database could not be asked; they are asked again. */
  onError: (attemptId: string, error: unknown) => void
}

const pollMs = 250
/** A runtime that has said nothing for so long is asked. */
const silenceTimeoutMs = 15_000
/** Between two tries to reach a runtime that is away. */
const retryDelayMs = 2_000

const toUnreadableError = (issues: string[]) =>
  new Error(`the runtime told what cannot be read: ${issues.slice(0, 10).join(', ')}`)

/** Nobody hears it. */
const detachedResult: ProviderResult = { outcome: 'failed' }

/**
 * The line of an agent runtime of the user's own. It is ordered to call once, and then only asked: its reports
 * come in by whichever replica, and are read from the table. The call goes on when this process dies.
 */
export function createHttpProvider(deps: HttpProviderDeps): TelephonyProvider {
  const { db, clock, runtime, onError } = deps
  const readReports = createReportReader(deps, pollMs)

  /** What is reported by now; undefined while the database is away, which says nothing. */
  const pollReports = (
    attemptId: string,
    dialing: DialControls,
  ): Promise<readonly RuntimeReport[] | undefined> =>
    readReports(attemptId, dialing.detached).catch((error: unknown) => void onError(attemptId, error))

  const askRuntime = async (attemptId: string): Promise<'received' | 'not_found' | 'unreachable'> => {
    try {
      const received = await runtime.getCallState(attemptId)
      if (received === 'not_found') return 'not_found'
      await insertReports(db, attemptId, received.reports)
      if (received.issues.length > 0) onError(attemptId, toUnreadableError(received.issues))
      return received.isComplete ? 'received' : 'unreachable'
    } catch (error) {
      onError(attemptId, error)
      return 'unreachable'
    }
  }

  /**
   * Until the runtime has told the end, or denies the attempt. It is asked where it is unclear what it knows,
   * where it has been silent, and before a ring is cut: nobody who has answered is hung up on for that.
   */
  const followAttempt = async (
    attemptId: string,
    dialing: DialControls,
    dialStatus: () => 'accepted' | 'rejected' | 'unknown',
  ): Promise<ProviderResult> => {
    let received = 0
    let lastReportAt = clock.now().getTime()
    let nextAskAt = 0
    let isConfirmed = false
    let ringWasChecked = false
    for (;;) {
      const reports = await pollReports(attemptId, dialing)
      if (dialing.detached.aborted) return detachedResult
      if (reports === undefined) continue
      const ended = findEndReport(reports)
      const answeredAt = findAnsweredAt(reports)
      if (ended !== undefined) return toProviderResult(ended)
      if (answeredAt !== undefined) dialing.onAnswer(answeredAt)
      if (dialStatus() === 'rejected') return { outcome: 'failed' }
      const ringTimedOut = dialing.ringTimeout.aborted && answeredAt === undefined
      if (dialing.signal.aborted || (ringTimedOut && ringWasChecked)) return hangUp(attemptId, dialing)

      const now = clock.now().getTime()
      if (reports.length > received) lastReportAt = now
      received = reports.length
      const isUncertain = dialStatus() === 'unknown' && !isConfirmed
      if (now < nextAskAt || !(isUncertain || ringTimedOut || now >= lastReportAt + silenceTimeoutMs))
        continue
      nextAskAt = now + retryDelayMs
      const response = await askRuntime(attemptId)
      if (response === 'not_found') return readFinalReports(attemptId, dialing)
      if (response === 'unreachable') continue
      lastReportAt = now
      isConfirmed = true
      ringWasChecked = ringTimedOut
    }
  }

  /** A runtime may forget what it has reported: that counts. */
  const readFinalReports = async (attemptId: string, dialing: DialControls): Promise<ProviderResult> => {
    for (;;) {
      const reports = await pollReports(attemptId, dialing)
      if (dialing.detached.aborted) return detachedResult
      if (reports === undefined) continue
      const ended = findEndReport(reports)
      return ended === undefined ? { outcome: 'unknown' } : toProviderResult(ended)
    }
  }

  /** Resolves only when nobody is on the line any more: until then nobody may be called again. */
  const hangUp = async (attemptId: string, dialing: DialControls): Promise<ProviderResult> => {
    for (;;) {
      const confirmed = await runtime.hangUp(attemptId).then(
        () => true,
        (error: unknown) => (onError(attemptId, error), false),
      )
      const deadline = clock.now().getTime() + (confirmed ? callLimits.handOverSeconds * 1000 : retryDelayMs)
      do {
        const ended = findEndReport((await pollReports(attemptId, dialing)) ?? [])
        if (dialing.detached.aborted) return detachedResult
        if (ended !== undefined) return toProviderResult(ended)
      } while (clock.now().getTime() < deadline)
      if (confirmed) return { outcome: 'no_answer' }
    }
  }

  return {
    name: httpProviderName,
    resumable: true,
    speed: 1,
    dial: async (request, dialing) => {
      let dialStatus: Awaited<ReturnType<RuntimeClient['dial']>> = 'accepted'
      const requestSent = runtime
        .dial(toCallOrder(request, deps.internalUrl))
        .then((response) => void (dialStatus = response))
      const following = followAttempt(request.attemptId, dialing, () => dialStatus)
      const ended = await Promise.race([following, whenDetached(dialing, requestSent)])
      return ended.outcome === 'unknown' ? { outcome: 'failed' } : ended
    },
    resume: (request, dialing) =>
      Promise.race([
        followAttempt(request.attemptId, dialing, () => 'unknown'),
        whenDetached(dialing, Promise.resolve()),
      ]),
    analyze: async (request, _, signal) => {
      for (;;) {
        const reports = await readReports(request.attemptId, signal).catch(
          (error: unknown) => (onError(request.attemptId, error), []),
        )
        const analysis = findAnalysis(reports)
        if (analysis !== undefined) return analysis ?? undefined
        if (signal.aborted) return undefined
      }
    },
  }
}

/**
 * Resolves when nobody listens any more, but not while an order is on its way: whoever asks the runtime next
 * must not be told that it knows nothing of it.
 */
const whenDetached = ({ detached }: DialControls, requestSent: Promise<void>): Promise<ProviderResult> =>
  new Promise((resolve) => {
    const detach = () => void requestSent.then(() => resolve(detachedResult))
    if (detached.aborted) detach()
    detached.addEventListener('abort', detach, { once: true })
  })

const toCallOrder = (request: DialRequest, internalUrl: string): RuntimeDialRequest => {
  const { attemptId, agent, contact } = request
  return {
    attempt_id: attemptId,
    call_id: request.callId,
    attempt: request.number,
    from_number: request.fromNumber,
    to_number: request.toNumber,
    agent: {
      widget_id: agent.widgetId,
      name: agent.name,
      language: agent.language,
      greeting: agent.greeting,
    },
    campaign: { name: request.campaignName },
    contact: {
      first_name: contact.firstName,
      last_name: contact.lastName,
      variables: contact.variables,
    },
    tools_url: toolSessionUrl(internalUrl, { widgetId: agent.widgetId, attemptId }).href,
    reports_url: `${internalUrl}/api/internal/attempts/${attemptId}/reports`,
    ring_limit_seconds: callLimits.ringSeconds,
    call_limit_seconds: callLimits.callSeconds,
  }
}
