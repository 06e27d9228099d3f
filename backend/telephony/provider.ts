import type { EndedReason, Extracted, Sentiment, TranscriptTurn } from '@outdial/contract'

/** Everything that a telephony provider needs to make one attempt. */
export interface DialRequest {
  /** A UUID and the idempotency key: a provider that receives it twice dials once. */
  attemptId: string
  callId: number
  /** Which attempt of its call this is, from 1. */
  number: number
  fromNumber: string
  toNumber: string
  /** The tool server identifies the agent by `widgetId`. */
  agent: { widgetId: string; name: string; language: string; greeting: string }
  campaignName: string
  /** The call was scheduled for a requested time. */
  scheduled: boolean
  contact: { firstName: string | null; lastName: string | null; variables: Record<string, string> }
}

/** How an attempt ended. Times are set by a provider that knows them better than the worker that listens. */
export type ProviderResult = { answeredAt?: Date | null; endedAt?: Date } & (
  | { outcome: 'no_answer' | 'busy' | 'declined' | 'failed' }
  /** From `resume`: the provider doesn't know the attempt, so there is no call. */
  | { outcome: 'unknown' }
  | { outcome: 'voicemail'; transcript: TranscriptTurn[]; summary: string }
  | {
      outcome: 'answered'
      endedReason: Extract<EndedReason, 'agent_hung_up' | 'contact_hung_up'>
      transcript: TranscriptTurn[]
      recordingUrl: string | null
      /** The contact asked not to be called again. */
      optedOut: boolean
      /** Null where there is none. Undefined where it isn't known yet: then `analyze` is asked for it. */
      analysis?: Analysis | null
    }
)

/** How the dialer and a provider talk to each other during an attempt. */
export interface DialControls {
  /** Aborts when the provider must hang up. */
  signal: AbortSignal
  /** Aborts at the ring limit: a resumable provider first finds out whether someone answered. */
  ringTimeout: AbortSignal
  /** Aborts when this worker stops listening. The calls of a resumable provider continue. */
  detached: AbortSignal
  /** To be called when a person or a machine answers. Only the first time counts. */
  onAnswer: (at?: Date) => void
}

/** What a provider learns from a conversation after it ended. */
export interface Analysis {
  summary: string
  sentiment: Sentiment
  goalMet: boolean | null
  extracted: Extracted
}

/** Places calls. Limits, leases, retries, and records are the dialer's. */
export interface TelephonyProvider {
  /** Saved with each attempt, so that the worker that takes it over knows which provider to ask. */
  name: string
  /**
   * True where calls continue when this process dies. Lost attempts are then taken over with `resume`; those of any
   * other provider end as failed.
   */
  resumable: boolean
  /** Simulated seconds per second of the clock; 1 for real calls. */
  speed: number
  /**
   * Makes a call and resolves when it's over. When `signal` aborts, it hangs up and resolves with what was said so
   * far; a resumable provider only once the call is surely over. A rejection counts as a failure of the provider.
   */
  dial(request: DialRequest, dialing: DialControls): Promise<ProviderResult>
  /** Like `dial`, for an attempt that was dialed before, maybe by another process: it isn't dialed again. */
  resume?(request: DialRequest, dialing: DialControls): Promise<ProviderResult>
  /** Analyzes a finished conversation; undefined where there is no analysis. The event waits two minutes for it. */
  analyze(
    request: DialRequest,
    transcript: TranscriptTurn[],
    signal: AbortSignal,
  ): Promise<Analysis | undefined>
}

/** Limits in (simulated) seconds. After the call limit, a provider can hand over what was said. */
export const callLimits = { ringSeconds: 45, callSeconds: 30 * 60, handOverSeconds: 5 }
