import type { CallOutcome, EndedReason, TranscriptTurn } from '@outdial/contract'
import type { ProviderResult } from '../telephony/provider.ts'

/** How an attempt ended, as the dialer saw it. */
export interface AttemptResult {
  outcome: Extract<CallOutcome, 'answered' | 'voicemail' | 'no_answer' | 'busy' | 'declined' | 'failed'>
  endedReason: EndedReason
  answeredAt: Date | null
  transcript: TranscriptTurn[]
  summary: string | null
  recordingUrl: string | null
  /** The contact asked not to be called again. */
  optedOut: boolean
  /** When the line says that it ended, where that was before it was heard of. */
  endedAt?: Date
  /** Nobody is on the line any more, so that even a lost attempt may be followed by another. */
  confirmedOver?: boolean
}

/** An end with nothing said. */
export const emptyResult = (outcome: AttemptResult['outcome'], endedReason: EndedReason): AttemptResult => ({
  outcome,
  endedReason,
  answeredAt: null,
  transcript: [],
  summary: null,
  recordingUrl: null,
  optedOut: false,
})

/** The end of an attempt that is lost on a line that knows nothing of it, or has had all the time of a call. */
export const lostResult: AttemptResult = { ...emptyResult('failed', 'worker_lost'), confirmedOver: true }

export const emptyProviderResult: ProviderResult = {
  outcome: 'answered',
  endedReason: 'agent_hung_up',
  transcript: [],
  recordingUrl: null,
  optedOut: false,
}

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

/** Clocks differ: nothing happens before its attempt began, or later than now. */
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
    const { outcome, endedReason, transcript, recordingUrl, optedOut } = result
    return { outcome, endedReason, transcript, recordingUrl, optedOut, answeredAt, endedAt, summary: null }
  }
  if (result.outcome === 'voicemail') {
    const { outcome, transcript, summary } = result
    const voicemail = { outcome, transcript, summary, answeredAt, endedAt }
    return { ...voicemail, endedReason: 'voicemail_reached', recordingUrl: null, optedOut: false }
  }
  return { ...emptyResult(result.outcome, unansweredReasons[result.outcome]), endedAt }
}
