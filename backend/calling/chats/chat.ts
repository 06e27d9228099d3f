import type { Extracted } from '@outdial/contract'
import type { ConversationEnd } from '../../platform/db/schema.ts'
import type { ConversationAnalysis } from '../conversation/model/analysis.ts'
import type { TurnEvent, TurnInput, TurnPart } from '../conversation/transcript.ts'

/** Values of a made-up contact, for a chat that isn't about a contact of the workspace. */
export interface SampleValues {
  first_name: string | null
  last_name: string | null
  variables: Record<string, string>
}

/** A chat of a member with an agent. */
export interface Chat {
  id: string
  agentId: number
  agentVersion: number
  /** The member who started the chat. */
  userId: number
  /** Null if the chat has sample values. */
  contactId: number | null
  sampleValues: SampleValues | null
  turns: ChatTurn[]
  /** The values of the agent's results so far. Null until they're found for the first time. */
  found: Extracted | null
  /** The model that answered last. */
  model: string | null
  tokens: { input: number; output: number; isEstimated: boolean }
  startedAt: Date
  lastTurnAt: Date
  endedAt: Date | null
  endReason: ConversationEnd | null
  analysis: ChatAnalysis
}

export interface ChatTurn {
  number: number
  input: TurnInput | null
  /** While the turn is in progress, the parts as they were when a tool that has effects last started or finished. */
  parts: readonly TurnPart[]
  /** False while the turn is in progress, and if it was lost: its process was killed, or another process took the next turn. */
  isFinished: boolean
  startedAt: Date
}

/** `none` until the chat has ended. `failed` has a sentence for the operator. */
export type ChatAnalysis =
  | { state: 'none' }
  | { state: 'pending' }
  | { state: 'done'; analysis: ConversationAnalysis }
  | { state: 'failed'; sentence: string }

/**
 * An event that a turn of a chat streams. `finished` comes once the turn is stored, so that the member can already answer while
 * the values of the agent's results are being found. `dropped` comes instead if the turn isn't stored: another process has
 * taken the next turn, or the chat has ended or been deleted, for example because its contact was erased.
 */
export type ChatEvent =
  | TurnEvent
  | { type: 'finished'; number: number; end: ConversationEnd | null }
  | { type: 'found'; found: Extracted }
  | { type: 'dropped' }
