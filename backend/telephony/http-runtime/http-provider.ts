import type { CallOrder, RuntimeReport } from '@outdial/contract'
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../db/schema.ts'
import { sessionUrl } from '../../runtime/session-url.ts'
import { callLimits } from '../../calls/limits.ts'
import { analysisIn, answeredAtIn, endIn } from '../../calls/reports/read.ts'
import { insertReports } from './attempt-reports.ts'
import { httpProviderName } from '../../dialer/receive-report.ts'
import { watchReports } from '../../calls/reports/watch.ts'
import type { DialControls, DialRequest, TelephonyProvider, ProviderResult } from '../provider.ts'
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

const unreadable = (issues: string[]) =>
  new Error(`the runtime told what cannot be read: ${issues.slice(0, 10).join(', ')}`)

/** Nobody hears it. */
const detachedResult: ProviderResult = { outcome: 'failed' }

/**
 * The line of an agent runtime of the user's own. It is ordered to call once, and then only asked: its reports
 * come in by whichever replica, and are read from the table. The call goes on when this process dies.
 */
export function createHttpProvider(deps: HttpProviderDeps): TelephonyProvider {
  const { db, clock, runtime, onError } = deps
  const read = watchReports(deps, pollMs)

  /** What is reported by now; undefined while the database is away, which says nothing. */
  const look = (attemptId: string, dialing: DialControls): Promise<readonly RuntimeReport[] | undefined> =>
    read(attemptId, dialing.detached).catch((error: unknown) => void onError(attemptId, error))

  const ask = async (attemptId: string): Promise<'heard' | 'denied' | 'away'> => {
    try {
      const told = await runtime.ask(attemptId)
      if (told === 'denied') return 'denied'
      await insertReports(db, attemptId, told.reports)
      if (told.issues.length > 0) onError(attemptId, unreadable(told.issues))
      return told.isComplete ? 'heard' : 'away'
    } catch (error) {
      onError(attemptId, error)
      return 'away'
    }
  }

  /**
   * Until the runtime has told the end, or denies the attempt. It is asked where it is unclear what it knows,
   * where it has been silent, and before a ring is cut: nobody who has answered is hung up on for that.
   */
  const followAttempt = async (
    attemptId: string,
    dialing: DialControls,
    placed: () => 'taken' | 'refused' | 'unclear',
  ): Promise<ProviderResult> => {
    let told = 0
    let heardAt = clock.now().getTime()
    let nextAskAt = 0
    let isConfirmed = false
    let ringWasChecked = false
    for (;;) {
      const reports = await look(attemptId, dialing)
      if (dialing.detached.aborted) return detachedResult
      if (reports === undefined) continue
      const ended = endIn(reports)
      const answeredAt = answeredAtIn(reports)
      if (ended !== undefined) return toProviderResult(ended)
      if (answeredAt !== undefined) dialing.onAnswer(answeredAt)
      if (placed() === 'refused') return { outcome: 'failed' }
      const ringTimedOut = dialing.ringTimeout.aborted && answeredAt === undefined
      if (dialing.signal.aborted || (ringTimedOut && ringWasChecked)) return hangUp(attemptId, dialing)

      const now = clock.now().getTime()
      if (reports.length > told) heardAt = now
      told = reports.length
      const isUncertain = placed() === 'unclear' && !isConfirmed
      if (now < nextAskAt || !(isUncertain || ringTimedOut || now >= heardAt + silenceTimeoutMs)) continue
      nextAskAt = now + retryDelayMs
      const answer = await ask(attemptId)
      if (answer === 'denied') return lastWord(attemptId, dialing)
      if (answer === 'away') continue
      heardAt = now
      isConfirmed = true
      ringWasChecked = ringTimedOut
    }
  }

  /** A runtime may forget what it has reported: that counts. */
  const lastWord = async (attemptId: string, dialing: DialControls): Promise<ProviderResult> => {
    for (;;) {
      const reports = await look(attemptId, dialing)
      if (dialing.detached.aborted) return detachedResult
      if (reports === undefined) continue
      const ended = endIn(reports)
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
        const ended = endIn((await look(attemptId, dialing)) ?? [])
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
      let placed: Awaited<ReturnType<RuntimeClient['place']>> = 'taken'
      const placing = runtime
        .place(toCallOrder(request, deps.internalUrl))
        .then((answer) => void (placed = answer))
      const following = followAttempt(request.attemptId, dialing, () => placed)
      const ended = await Promise.race([following, whenDetached(dialing, placing)])
      return ended.outcome === 'unknown' ? { outcome: 'failed' } : ended
    },
    resume: (request, dialing) =>
      Promise.race([
        followAttempt(request.attemptId, dialing, () => 'unclear'),
        whenDetached(dialing, Promise.resolve()),
      ]),
    analyze: async (request, _, signal) => {
      for (;;) {
        const reports = await read(request.attemptId, signal).catch(
          (error: unknown) => (onError(request.attemptId, error), []),
        )
        const analysis = analysisIn(reports)
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
const whenDetached = ({ detached }: DialControls, placing: Promise<void>): Promise<ProviderResult> =>
  new Promise((resolve) => {
    const detach = () => void placing.then(() => resolve(detachedResult))
    if (detached.aborted) detach()
    detached.addEventListener('abort', detach, { once: true })
  })

const toCallOrder = (request: DialRequest, internalUrl: string): CallOrder => {
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
    tools_url: sessionUrl(internalUrl, { widgetId: agent.widgetId, attemptId }).href,
    reports_url: `${internalUrl}/api/internal/attempts/${attemptId}/reports`,
    ring_limit_seconds: callLimits.ringSeconds,
    call_limit_seconds: callLimits.callSeconds,
  }
}

function toProviderResult(end: RuntimeReport & { type: 'ended' }): ProviderResult {
  const endedAt = new Date(end.at)
  if (end.outcome === 'voicemail') {
    const { outcome, transcript, summary } = end
    return { outcome, transcript, summary, answeredAt: new Date(end.answered_at), endedAt }
  }
  if (end.outcome !== 'answered') return { outcome: end.outcome, endedAt }
  return {
    outcome: 'answered',
    endedReason: end.ended_reason,
    transcript: end.transcript,
    recordingUrl: end.recording_url ?? null,
    optedOut: end.do_not_call ?? false,
    answeredAt: new Date(end.answered_at),
    endedAt,
  }
}
