import type { EndedReason, Extracted, Sentiment, TranscriptTurn } from '@outdial/contract'

/** Everything that a line needs to make one attempt. */
export interface DialRequest {
  /** A UUID, the idempotency key towards the line: asked twice, it rings once. */
  attemptId: string
  callId: number
  /** Which attempt of its call this is, from 1. */
  number: number
  fromNumber: string
  toNumber: string
  /** `widgetId` is what the tool server knows the agent by. */
  agent: { widgetId: string; name: string; language: string; greeting: string }
  campaignName: string
  /** The time of this call was asked for. */
  scheduled: boolean
  contact: { firstName: string | null; lastName: string | null; variables: Record<string, string> }
}

/** How an attempt ended, told by the line. Times are told by a line that knows better than its listener. */
export type ProviderResult = { answeredAt?: Date | null; endedAt?: Date } & (
  | { outcome: 'no_answer' | 'busy' | 'declined' | 'failed' }
  /** Told by `resume`: the line knows nothing of the attempt, so nobody is on it. */
  | { outcome: 'unknown' }
  | { outcome: 'voicemail'; transcript: TranscriptTurn[]; summary: string }
  | {
      outcome: 'answered'
      endedReason: Extract<EndedReason, 'agent_hung_up' | 'contact_hung_up'>
      transcript: TranscriptTurn[]
      recordingUrl: string | null
      /** The contact asked not to be called again. */
      optedOut: boolean
    }
)

/** What binds a line to whoever watches over an attempt. */
export interface DialControls {
  /** Aborts when the line must hang up. */
  signal: AbortSignal
  /** Aborts when it has rung long enough: only for a line that must find out first whether somebody answered. */
  ringTimeout: AbortSignal
  /** Aborts when nobody listens any more. A line that outlives its worker looks away; the call goes on. */
  detached: AbortSignal
  /** Call it when a person or a machine picks up. Only the first time counts. */
  onAnswer: (at?: Date) => void
}

/** What is read out of a talk after the hang-up. */
export interface Analysis {
  summary: string
  sentiment: Sentiment
  goalMet: boolean | null
  extracted: Extracted
}

/** What rings phones. Limits, leases, retries and records are the dialer's; a line only talks. */
export interface TelephonyProvider {
  /** Kept with each attempt, so that whoever finds it knows where to ask. */
  name: string
  /**
   * Whether the call goes on when this process dies. Such a line's lost attempts are taken up by `resume`; on any
   * other line they are over, and end as failed.
   */
  resumable: boolean
  /** Seconds on the line per second of the clock: 1 but for a simulation. */
  speed: number
  /**
   * Rings, talks, and resolves when it is over. When `signal` aborts it hangs up at once and resolves with what
   * was said so far; a line that outlives its worker, not before nobody is on it any more. A rejection counts as
   * a failure of the line.
   */
  dial(request: DialRequest, dialing: DialControls): Promise<ProviderResult>
  /** The same for an attempt that was dialed before, maybe by another process: nobody is rung. */
  resume?(request: DialRequest, dialing: DialControls): Promise<ProviderResult>
  /** Reads a finished talk. The event waits for it for at most two minutes. Undefined where there is none. */
  analyze(
    request: DialRequest,
    transcript: TranscriptTurn[],
    signal: AbortSignal,
  ): Promise<Analysis | undefined>
}

/** Limits in seconds on the line. After the call limit a line gets a moment to hand over what was said. */
export const callLimits = { ringSeconds: 45, callSeconds: 30 * 60, handOverSeconds: 5 }
