import { secondMs } from '../../platform/core/durations.ts'
import { callLimits, type ProviderResult } from '../telephony/provider.ts'
import {
  type AttemptResult,
  clampTime,
  emptyProviderResult,
  emptyResult,
  lostResult,
  toAttemptResult,
  toCallLimitResult,
} from './attempt-result.ts'

/**
 * The states of one attempt, from dialing to its result. Each event changes the state:
 *
 * - Answer: `ringing`, `checking`, or `unclear` becomes `answered`.
 * - The provider can't be reached, and it's unknown whether it accepted the attempt: `ringing` or `checking` becomes
 *   `unclear`, without a limit. Once the provider confirms the attempt, `unclear` becomes `ringing`.
 * - Hang-up, or any other end the provider reports: `ended`, with the reported result.
 * - Ring limit, resumable provider: `checking`, until the provider reports whether someone answered. This state lasts at most as
 *   long as the longest call.
 * - Ring limit, any other provider: the worker hangs up. `ended`, with the outcome `no_answer`.
 * - Call limit: `cut_short`. The provider hangs up and gets a few seconds to send the transcript.
 * - The lease is lost or the process stops, resumable provider: `detaching`. The call continues, and the next worker takes it over.
 * - The lease is lost or the process stops, any other provider: the worker hangs up. `ended`.
 *
 * After a lost lease or process stop, this worker's result is `abandoned`, unless the attempt was already `cut_short`.
 */
export type AttemptState = OpenState | EndedState

type OpenState =
  /** @property confirmedAt when the provider confirmed an attempt that was unclear */
  | { name: 'ringing'; confirmedAt?: Date }
  | { name: 'checking' }
  | { name: 'unclear' }
  | { name: 'answered'; answeredAt: Date }
  | { name: 'cut_short'; answeredAt: Date }
  /** In this state, the provider can finish sending its dial request, so that the next worker finds the call. */
  | { name: 'detaching' }

interface EndedState {
  name: 'ended'
  result: AttemptResult | 'abandoned'
  /** Why the provider must hang up. Undefined if the call is over or continues without this worker. */
  hangUp?: 'ring_timeout' | 'no_report' | 'abandoned'
}

export type AttemptEvent =
  | { type: 'answered'; at: Date | undefined }
  /** The provider has confirmed the attempt, or it's unclear whether it accepted the attempt. */
  | { type: 'acceptance'; acceptance: 'unclear' | 'confirmed' }
  /** The state `since` has reached its time limit. */
  | { type: 'limit_reached'; since: AttemptState }
  | { type: 'provider_ended'; result: ProviderResult }
  /** The lease is lost, or the process stops. */
  | { type: 'abandoned' }

/** The properties of an attempt that don't change while it's supervised. */
export interface SupervisedAttempt {
  startedAt: Date
  /** When this worker took over the attempt. Null if this worker started it. */
  takenOverAt: Date | null
  provider: { resumable: boolean; speed: number }
}

/** The progress of an attempt when it was taken over from another worker. */
export interface AttemptProgress {
  startedAt: Date
  answeredAt: Date | null
}

export const initialState = (answeredAt: Date | null): OpenState =>
  answeredAt === null ? { name: 'ringing' } : { name: 'answered', answeredAt }

/** Returns the state after an event, or the same object if the event changes nothing. */
export function nextState(
  state: AttemptState,
  event: AttemptEvent,
  attempt: SupervisedAttempt,
  now: Date,
): AttemptState {
  if (state.name === 'ended') return state
  switch (event.type) {
    case 'answered':
      if (state.name !== 'ringing' && state.name !== 'checking' && state.name !== 'unclear') return state
      return { name: 'answered', answeredAt: clampTime(attempt.startedAt, event.at, now) }
    case 'acceptance':
      return afterAcceptance(state, event.acceptance, now)
    case 'limit_reached':
      return event.since === state ? afterLimit(state, attempt, now) : state
    case 'provider_ended':
      return { name: 'ended', result: resultOf(state, event.result, attempt, now) }
    case 'abandoned':
      return afterAbandonment(state, attempt)
  }
}

function afterAcceptance(state: OpenState, acceptance: 'unclear' | 'confirmed', now: Date): AttemptState {
  if (acceptance === 'confirmed')
    return state.name === 'unclear' ? { name: 'ringing', confirmedAt: now } : state
  return state.name === 'ringing' || state.name === 'checking' ? { name: 'unclear' } : state
}

function afterLimit(state: OpenState, attempt: SupervisedAttempt, now: Date): AttemptState {
  switch (state.name) {
    case 'ringing':
      // Someone may have answered, although the report hasn't arrived yet. A resumable provider checks first.
      if (attempt.provider.resumable) return { name: 'checking' }
      return { name: 'ended', result: emptyResult('no_answer', 'ring_timeout'), hangUp: 'ring_timeout' }
    case 'unclear': // has no limit
      return state
    case 'checking':
      return { name: 'ended', result: unreportedResult(attempt), hangUp: 'no_report' }
    case 'answered':
      return { name: 'cut_short', answeredAt: state.answeredAt }
    case 'cut_short':
    case 'detaching':
      return { name: 'ended', result: resultOf(state, undefined, attempt, now) }
  }
}

/** Returns the result of an attempt whose provider reported nothing for as long as a call can last. */
const unreportedResult = ({ takenOverAt }: SupervisedAttempt): AttemptResult =>
  takenOverAt === null ? emptyResult('failed', 'line_failed') : lostResult

function afterAbandonment(state: OpenState, { provider }: SupervisedAttempt): AttemptState {
  if (state.name === 'cut_short' || state.name === 'detaching') return state
  return provider.resumable
    ? { name: 'detaching' }
    : { name: 'ended', result: 'abandoned', hangUp: 'abandoned' }
}

/** @param reported undefined if the provider returned nothing in time */
function resultOf(
  state: OpenState,
  reported: ProviderResult | undefined,
  { startedAt }: SupervisedAttempt,
  now: Date,
): EndedState['result'] {
  if (state.name === 'detaching') return 'abandoned'
  const answeredAt = 'answeredAt' in state ? state.answeredAt : null
  const result = toAttemptResult(reported ?? emptyProviderResult, { answeredAt, startedAt, now })
  return state.name === 'cut_short' ? { ...result, answeredAt, ...toCallLimitResult(reported) } : result
}

/** A conversation's limit is never shorter than this, because a sped-up simulation doesn't speed up an agent's tool calls. */
const minConversationMs = 30 * secondMs

/** No limit applies for this long after a takeover or confirmation, so the attempt's reports can first be read. */
const catchUpMs = 20 * secondMs

/** Returns the milliseconds from `now` until the limit of a state, or Infinity if the state has no limit. */
export function msUntilLimit(state: OpenState, attempt: SupervisedAttempt, now: Date): number {
  const confirmedAt = state.name === 'ringing' ? state.confirmedAt : undefined
  const caughtUpFrom = confirmedAt ?? attempt.takenOverAt
  const earliest = caughtUpFrom === null ? 0 : caughtUpFrom.getTime() + catchUpMs
  return Math.max(limitOf(state, attempt, now), earliest) - now.getTime()
}

function limitOf(state: OpenState, { startedAt, provider }: SupervisedAttempt, now: Date): number {
  const toMs = (seconds: number) => (seconds * secondMs) / provider.speed
  const ringMs = toMs(callLimits.ringSeconds)
  const callMs = Math.max(toMs(callLimits.callSeconds), minConversationMs)
  switch (state.name) {
    case 'ringing':
      return startedAt.getTime() + ringMs
    case 'unclear':
      return Infinity
    case 'checking':
      return startedAt.getTime() + ringMs + callMs
    case 'answered':
      return state.answeredAt.getTime() + callMs
    case 'cut_short':
    case 'detaching':
      return now.getTime() + toMs(callLimits.handOverSeconds)
  }
}
