import type { Clock } from '../core/clock.ts'
import {
  callLimits,
  type DialControls,
  type DialRequest,
  type ProviderResult,
  type TelephonyProvider,
} from '../telephony/provider.ts'
import {
  type AttemptResult,
  clampTime,
  emptyProviderResult,
  emptyResult,
  toAttemptResult,
  toCallLimitResult,
} from './attempt-result.ts'

/** However much a line is sped up: what an agent does with its tools takes the machine's own time. */
const minConversationMs = 30_000

/** Whoever takes an attempt over asks what became of it before any limit counts. */
const catchUpMs = 20_000

type CutOffReason = 'ring_timeout' | 'call_limit_reached' | 'unheard_of'

/** How far an attempt had come when it was taken over from another worker. */
export interface AttemptProgress {
  startedAt: Date
  answeredAt: Date | null
}

/**
 * Has the line make one attempt, or go on with one, and keeps the limits whatever the line does: one that does
 * not answer, hang up or come to an end is left behind. A line that outlives its worker is believed for as long
 * as a call may last: somebody may be talking on it.
 *
 * @param giveUp the worker may not go on: hang up at once, or leave the call to the next worker
 * @returns undefined where the worker gave up
 */
export async function supervise(
  clock: Clock,
  provider: TelephonyProvider,
  attempt: { request: DialRequest; takenOver?: AttemptProgress },
  hooks: { abandon: AbortSignal; onAnswer: (at: Date) => void; onProviderError: (error: unknown) => void },
): Promise<AttemptResult | undefined> {
  const { request, takenOver } = attempt
  const startedAt = takenOver?.startedAt ?? clock.now()
  let answeredAt = takenOver?.answeredAt ?? null
  const hangUp = new AbortController()
  const ringTimeout = new AbortController()
  const detached = new AbortController()
  const done = new AbortController()
  const cutOffReason = Promise.withResolvers<CutOffReason>()
  const abandoned = Promise.withResolvers<'given_up'>()

  const cutOff = (reason: CutOffReason) => {
    if (done.signal.aborted || detached.signal.aborted || hangUp.signal.aborted) return
    hangUp.abort(reason)
    cutOffReason.resolve(reason)
  }
  const earliest = takenOver === undefined ? 0 : clock.now().getTime() + catchUpMs
  const waitSince = (since: Date, ms: number) =>
    clock.wait(Math.max(since.getTime() + ms, earliest) - clock.now().getTime(), done.signal)
  const ringMs = (callLimits.ringSeconds * 1000) / provider.speed
  const callMs = Math.max((callLimits.callSeconds * 1000) / provider.speed, minConversationMs)
  const limitConversation = (since: Date) =>
    void waitSince(since, callMs).then(() => cutOff('call_limit_reached'))
  const onAnswer = (at?: Date) => {
    if (answeredAt !== null || hangUp.signal.aborted || detached.signal.aborted) return
    answeredAt = clampTime(startedAt, at, clock.now())
    limitConversation(answeredAt)
    hooks.onAnswer(answeredAt)
  }
  const waitForHandover = () =>
    waitSince(clock.now(), (callLimits.handOverSeconds * 1000) / provider.speed).then(() => undefined)
  const isRinging = () => answeredAt === null
  const limitRing = async () => {
    await waitSince(startedAt, ringMs)
    if (!isRinging()) return
    ringTimeout.abort()
    // Somebody may have answered, and the word of it be on its way: such a line hangs up when it knows.
    if (!provider.resumable) return cutOff('ring_timeout')
    await waitSince(startedAt, ringMs + callMs)
    if (isRinging()) cutOff('unheard_of')
  }
  // Whatever a line throws is its failure.
  const toFailure = (error: unknown): ProviderResult => {
    hooks.onProviderError(error)
    return { outcome: 'failed' }
  }
  const abandon = () => {
    detached.abort()
    if (!provider.resumable) hangUp.abort('given_up')
    abandoned.resolve('given_up')
  }
  const toResult = (result: ProviderResult) =>
    toAttemptResult(result, { answeredAt, startedAt, now: clock.now() })

  hooks.abandon.addEventListener('abort', abandon, { once: true })
  try {
    if (hooks.abandon.aborted) return undefined
    if (answeredAt !== null) limitConversation(answeredAt)
    void limitRing()
    const dialing: DialControls = {
      signal: hangUp.signal,
      ringTimeout: ringTimeout.signal,
      detached: detached.signal,
      onAnswer,
    }
    const conversation = Promise.resolve()
      .then(() =>
        takenOver && provider.resume ? provider.resume(request, dialing) : provider.dial(request, dialing),
      )
      .catch(toFailure)
    const first = await Promise.race([conversation, cutOffReason.promise, abandoned.promise])
    if (first === 'given_up') {
      if (provider.resumable) await Promise.race([conversation, waitForHandover()])
      return undefined
    }
    if (first === 'ring_timeout') return emptyResult('no_answer', 'ring_timeout')
    if (first === 'unheard_of') return toResult({ outcome: takenOver === undefined ? 'failed' : 'unknown' })
    if (first === 'call_limit_reached') {
      const handedOver = await Promise.race([conversation, waitForHandover()])
      return { ...toResult(handedOver ?? emptyProviderResult), answeredAt, ...toCallLimitResult(handedOver) }
    }
    return toResult(first)
  } finally {
    done.abort()
    detached.abort()
    hooks.abandon.removeEventListener('abort', abandon)
  }
}
