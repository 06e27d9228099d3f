import type { Clock } from '../../platform/core/clock.ts'
import type { DialControls, DialRequest, ProviderResult, TelephonyProvider } from '../telephony/provider.ts'
import type { AttemptResult } from './attempt-result.ts'
import {
  type AttemptEvent,
  type AttemptProgress,
  type AttemptState,
  initialState,
  msUntilLimit,
  nextState,
  type SupervisedAttempt,
} from './attempt-state.ts'

/**
 * Runs one attempt with the provider, or continues one that was taken over. Enforces the limits even if the provider
 * doesn't respond or hang up. `attempt-state.ts` decides what happens, and this function does it.
 *
 * @param hooks.abandon aborts when this worker must abandon the attempt. A resumable provider keeps the call for the
 * next worker; any other hangs up.
 * @returns `abandoned` if this worker abandoned the attempt
 */
export async function superviseAttempt(
  clock: Clock,
  provider: TelephonyProvider,
  { request, takenOver }: { request: DialRequest; takenOver?: AttemptProgress },
  hooks: { abandon: AbortSignal; onAnswer: (at: Date) => void; onProviderError: (error: unknown) => void },
): Promise<AttemptResult | 'abandoned'> {
  if (hooks.abandon.aborted) return 'abandoned'
  const attempt: SupervisedAttempt = {
    startedAt: takenOver?.startedAt ?? clock.now(),
    takenOverAt: takenOver === undefined ? null : clock.now(),
    provider,
  }
  const hangUp = new AbortController()
  const ringTimeout = new AbortController()
  const detached = new AbortController()
  const ended = Promise.withResolvers<AttemptResult | 'abandoned'>()
  let state: AttemptState = initialState(takenOver?.answeredAt ?? null)
  let leaveState = new AbortController()

  const dispatch = (event: AttemptEvent) => {
    const next = nextState(state, event, attempt, clock.now())
    if (next === state) return
    leaveState.abort()
    state = next
    startLimit()
    act(next)
  }
  const dispatchWhenKnown = (event: Promise<AttemptEvent>) => void event.then(dispatch).catch(ended.reject)

  const act = (entered: AttemptState) => {
    if (entered.name === 'checking') ringTimeout.abort()
    if (entered.name === 'answered') hooks.onAnswer(entered.answeredAt)
    if (entered.name === 'cut_short') hangUp.abort('call_limit_reached')
    if (entered.name !== 'ended') return
    if (entered.hangUp !== undefined) hangUp.abort(entered.hangUp)
    ended.resolve(entered.result)
  }
  const startLimit = () => {
    if (state.name === 'ended') return
    const since = state
    leaveState = new AbortController()
    const limitMs = msUntilLimit(since, attempt, clock.now())
    if (limitMs === Infinity) return
    const limit = clock.wait(limitMs, leaveState.signal)
    dispatchWhenKnown(limit.then(() => ({ type: 'limit_reached', since })))
  }
  const abandon = () => {
    dispatch({ type: 'abandoned' })
    detached.abort()
  }

  hooks.abandon.addEventListener('abort', abandon, { once: true })
  startLimit()
  const dialed = dialOrResume(provider, request, takenOver !== undefined, {
    signal: hangUp.signal,
    ringTimeout: ringTimeout.signal,
    detached: detached.signal,
    onAnswer: (at) => dispatch({ type: 'answered', at }),
    onAcceptance: (acceptance) => dispatch({ type: 'acceptance', acceptance }),
  }).catch((error: unknown): ProviderResult => {
    hooks.onProviderError(error)
    return { outcome: 'failed' }
  })
  dispatchWhenKnown(dialed.then((result) => ({ type: 'provider_ended', result })))
  try {
    return await ended.promise
  } finally {
    leaveState.abort()
    detached.abort()
    hooks.abandon.removeEventListener('abort', abandon)
  }
}

/** Dials or resumes. It's async, so that an error that the provider throws synchronously also becomes a rejection. */
const dialOrResume = async (
  provider: TelephonyProvider,
  request: DialRequest,
  isTakenOver: boolean,
  controls: DialControls,
): Promise<ProviderResult> =>
  isTakenOver && provider.resume ? provider.resume(request, controls) : provider.dial(request, controls)
