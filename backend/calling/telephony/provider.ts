import type { AgentResult, EndedReason, Extracted, Sentiment, TranscriptTurn } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { CallKey } from '../../queue/calls/get-calls.ts'

/** Everything that a telephony provider needs to make one attempt. */
export interface DialRequest {
  /** A UUID and the idempotency key: a provider that receives it twice dials once. */
  attemptId: string
  callId: number
  /** The number of this attempt within its call, starting at 1. */
  number: number
  fromNumber: string
  toNumber: string
  agent: DialedAgent
  campaignName: string
  /** True if the call was scheduled for a requested time. */
  scheduled: boolean
  contact: { firstName: string | null; lastName: string | null; variables: Record<string, string> }
}

/** The agent that calls. The fallbacks of placeholders in its texts are resolved. */
interface DialedAgent {
  /** The tool server identifies the agent by this ID. */
  widgetId: string
  version: number
  name: string
  language: string
  greeting: string
  instructions: string
  speaksFirst: 'agent' | 'contact'
  goal: string
  results: readonly AgentResult[]
  model: string | null
  /** Null if only the dialer's limit for calls applies. */
  maxMinutes: number | null
  closingLine: string
  aiDisclosure: boolean
}

/** How an attempt ended. A provider sets the times if it knows them more precisely than the worker. */
export type ProviderResult = { answeredAt?: Date | null; endedAt?: Date } & (
  | { outcome: 'no_answer' | 'busy' | 'declined' | 'failed' }
  /** The provider doesn't know the attempt, so there is no call. Only `resume` returns this. */
  | { outcome: 'unknown' }
  /** The provider couldn't be reached, and it's certain that it didn't accept the call. The attempt doesn't count. */
  | { outcome: 'not_placed' }
  | { outcome: 'voicemail'; transcript: TranscriptTurn[]; summary: string | null }
  | {
      outcome: 'answered'
      endedReason: Extract<EndedReason, 'agent_hung_up' | 'contact_hung_up'>
      transcript: TranscriptTurn[]
      recordingUrl: string | null
      /** True if the contact asked not to be called again. */
      optedOut: boolean
      /** Null if there is none. Undefined if it isn't known yet; then `analyze` provides it. */
      analysis?: Analysis | null
    }
)

/** Signals from the dialer to a provider during an attempt, and functions that the provider calls. */
export interface DialControls {
  /** Aborts when the provider must hang up. */
  signal: AbortSignal
  /** Aborts at the ring limit. A resumable provider then checks whether someone answered before it hangs up. */
  ringTimeout: AbortSignal
  /** Aborts when this worker stops listening. The calls of a resumable provider continue. */
  detached: AbortSignal
  /** The provider calls this when a person or a machine answers. Only the first time counts. */
  onAnswer: (at?: Date) => void
  /**
   * A resumable provider calls this with `unclear` when its runtime can't be reached, and it's unknown whether the runtime
   * accepted the attempt. The provider calls this with `confirmed` once it knows that the runtime accepted the attempt. No time
   * limit applies in between.
   */
  onAcceptance: (acceptance: 'unclear' | 'confirmed') => void
}

/** A provider's analysis of a finished conversation. */
export interface Analysis {
  /** Null if there is none. */
  summary: string | null
  sentiment: Sentiment
  goalMet: boolean | null
  extracted: Extracted
}

/** Dependencies bound to the transaction in which a provider saves what it learns. */
export type LateResultTx = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

/** Saves what a provider learns about an attempt after the attempt has ended, when no worker is waiting for it. */
export interface LateResults {
  /** Saves the analysis of a call, and publishes the call's event. */
  saveAnalysis(tx: LateResultTx, call: CallKey, analysis: Analysis): Promise<void>
  /**
   * Adds the number of an ended attempt to the do-not-call list, unless a member has removed it since the attempt: a provider
   * can report an opt-out late and more than once.
   */
  addOptOut(tx: LateResultTx, attempt: EndedAttempt): Promise<void>
}

export interface EndedAttempt {
  id: string
  workspaceId: number
  /** Null if the provider knows that the attempt has ended, but its worker hasn't saved that yet. */
  endedAt: Date | null
}

/** Places calls. The dialer handles limits, leases, retries, and records. */
export interface TelephonyProvider {
  /** Saved with each attempt, so that the worker that takes it over knows which provider to ask. */
  name: string
  /**
   * True if calls continue when this process dies. Lost attempts are then taken over with `resume`. With any other
   * provider, lost attempts end as failed.
   */
  resumable: boolean
  /** Simulated seconds per second of the clock; 1 for real calls. */
  speed: number
  /** Notifies the provider of a new report about an attempt. Undefined for a provider that doesn't read reports. */
  reportReceived?(attemptId: string): void
  /** Returns how many calls can be started now, at most `capacity`. Fewer while the provider can't be reached. */
  limitCapacity?(capacity: number): number
  /**
   * Places a call and resolves when it's over. When `signal` aborts, hangs up, and resolves with the conversation so far. A
   * resumable provider resolves only when the call is known to be over. A rejection counts as a provider failure.
   */
  dial(request: DialRequest, dialing: DialControls): Promise<ProviderResult>
  /**
   * Continues an attempt that was already dialed, maybe by another process, without dialing again. Otherwise like
   * `dial`.
   */
  resume?(request: DialRequest, dialing: DialControls): Promise<ProviderResult>
  /** Analyzes a finished conversation. Undefined if there's no analysis. The event waits up to two minutes for it. */
  analyze(
    request: DialRequest,
    transcript: TranscriptTurn[],
    signal: AbortSignal,
  ): Promise<Analysis | undefined>
}

/** Limits in (simulated) seconds. A provider has `handOverSeconds` after the call limit to send the transcript. */
export const callLimits = { ringSeconds: 45, callSeconds: 30 * 60, handOverSeconds: 5 }
