import type { CallOutcome, EndedReason, TranscriptTurn } from '@outdial/contract'
import type { Analysis, ProviderResult } from '../telephony/provider.ts'

export interface AttemptResult {
  outcome: Extract<CallOutcome, 'answered' | 'voicemail' | 'no_answer' | 'busy' | 'declined' | 'failed'>
  endedReason: EndedReason
  answeredAt: Date | null
  transcript: TranscriptTurn[]
  summary: string | null
  recordingUrl: string | null
  /** The contact asked not to be called again. */
  optedOut: boolean
  /** Of a conversation: null where there is none, undefined where it isn't known yet. */
  analysis?: Analysis | null
  /**
   * When the call ended, as the provider reported it. If undefined, the time when its result is handled is used.
   */
  endedAt?: Date
  /** The call is surely over, so that even a lost worker's attempt can be followed by another. */
  confirmedOver?: boolean
}

/** The result of an attempt without a conversation. */
export const emptyResult = (outcome: AttemptResult['outcome'], endedReason: EndedReason): AttemptResult => ({
  outcome,
  endedReason,
  answeredAt: null,
  transcript: [],
  summary: null,
  recordingUrl: null,
  optedOut: false,
})

/** The result of a lost worker's attempt that the provider doesn't know, or that has had the time of a whole call. */
export const lostResult: AttemptResult = { ...emptyResult('failed', 'worker_lost'), confirmedOver: true }

/** What counts where a provider handed over nothing after the call limit. */
export const emptyProviderResult: ProviderResult = {
  outcome: 'answered',
  endedReason: 'agent_hung_up',
  transcript: [],
  recordingUrl: null,
  optedOut: false,
}

/** What the call limit makes of a result. A voicemail stays one. */
export const toCallLimitResult = (result: ProviderResult | undefined) =>
  result?.outcome === 'voicemail'
    ? { endedReason: 'call_limit_reached' as const }
    : { outcome: 'answered' as const, endedReason: 'call_limit_reached' as const }

const unansweredReasons = {
  no_answer: 'ring_timeout',
  busy: 'line_busy',
  declined: 'contact_declined',
  failed: 'line_failed',
} as const

/** Returns a reported time within the time of its attempt: clocks differ. */
export const clampTime = (earliest: Date, reported: Date | undefined, now: Date): Date =>
  new Date(Math.max(earliest.getTime(), Math.min((reported ?? now).getTime(), now.getTime())))

export function toAttemptResult(
  result: ProviderResult,
  observed: { answeredAt: Date | null; startedAt: Date; now: Date },
): AttemptResult {
  const { startedAt, now } = observed
  if (result.outcome === 'unknown') return lostResult
  const answeredAt =
    observed.answeredAt ?? (result.answeredAt && clampTime(startedAt, result.answeredAt, now)) ?? null
  const endedAt = result.endedAt && clampTime(answeredAt ?? startedAt, result.endedAt, now)
  if (result.outcome === 'answered') {
    const { outcome, endedReason, transcript, recordingUrl, optedOut, analysis } = result
    const conversation = { outcome, endedReason, transcript, recordingUrl, optedOut, analysis }
    return { ...conversation, answeredAt, endedAt, summary: null }
  }
  if (result.outcome === 'voicemail') {
    const { outcome, transcript, summary } = result
    const voicemail = { outcome, transcript, summary, answeredAt, endedAt }
    return { ...voicemail, endedReason: 'voicemail_reached', recordingUrl: null, optedOut: false }
  }
  return { ...emptyResult(result.outcome, unansweredReasons[result.outcome]), endedAt }
}
