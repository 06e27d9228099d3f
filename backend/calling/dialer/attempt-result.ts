import type { CallOutcome, EndedReason, TranscriptTurn } from '@outdial/contract'
import type { Analysis, ProviderResult } from '../telephony/provider.ts'

export interface AttemptResult {
  outcome: Extract<CallOutcome, 'answered' | 'voicemail' | 'no_answer' | 'busy' | 'declined' | 'failed'>
  endedReason: EndedReason
  answeredAt: Date | null
  transcript: TranscriptTurn[]
  summary: string | null
  recordingUrl: string | null
  /** True if the contact asked not to be called again. */
  optedOut: boolean
  /** The conversation's analysis. Null if there is none, undefined if it hasn't arrived yet. */
  analysis?: Analysis | null
  /**
   * When the call ended, as reported by the provider. If undefined, the time when the result is processed is used.
   */
  endedAt?: Date
  /** True if the call is known to be over, so that it can be retried even if its worker was lost. */
  confirmedOver?: boolean
  /** True if the provider couldn't be reached and didn't accept the call. The attempt then doesn't count. */
  notPlaced?: boolean
}

/** Returns the result of an attempt without a conversation. */
export const emptyResult = (outcome: AttemptResult['outcome'], endedReason: EndedReason): AttemptResult => ({
  outcome,
  endedReason,
  answeredAt: null,
  transcript: [],
  summary: null,
  recordingUrl: null,
  optedOut: false,
})

/** The result of a lost worker's attempt if the provider doesn't know it, or if even the longest call would be over. */
export const lostResult: AttemptResult = { ...emptyResult('failed', 'worker_lost'), confirmedOver: true }

/** The result to use if a provider returns nothing after the call limit. */
export const emptyProviderResult: ProviderResult = {
  outcome: 'answered',
  endedReason: 'agent_hung_up',
  transcript: [],
  recordingUrl: null,
  optedOut: false,
}

/** Returns what the call limit changes in a result. A voicemail keeps its outcome. */
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

/**
 * Limits a reported time to the range from `earliest` to `now`, because clocks differ. Without a reported time, returns `now`.
 */
export const clampTime = (earliest: Date, reported: Date | undefined, now: Date): Date =>
  new Date(Math.max(earliest.getTime(), Math.min((reported ?? now).getTime(), now.getTime())))

export function toAttemptResult(
  result: ProviderResult,
  observed: { answeredAt: Date | null; startedAt: Date; now: Date },
): AttemptResult {
  const { startedAt, now } = observed
  if (result.outcome === 'unknown') return lostResult
  if (result.outcome === 'not_placed') return { ...emptyResult('failed', 'line_failed'), notPlaced: true }
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
