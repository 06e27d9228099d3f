import type { ModelMessage } from 'ai'
import type { TokenUsage } from './model/usage.ts'

/** The contact's side of a turn: they said something, or nothing. */
export type TurnInput = { type: 'speech'; text: string } | { type: 'silence' }

/** A part of the agent's side of a turn, in the order in which it happened. */
export type TurnPart = SaidPart | ToolPart | LateResult | TroublePart | InterruptedPart

export interface SaidPart {
  type: 'said'
  text: string
  /** True for a sentence that bridges a pause. The model doesn't learn of it. */
  isFiller?: true
}

export interface ToolPart {
  type: 'tool'
  /** Identifies the tool call in the conversation. */
  id: string
  name: string
  args: unknown
  /** Null if the tool was still running when the turn ended. */
  result: string | null
  isError: boolean
  /** True if nothing was changed, because the tool has effects and the conversation is a chat. */
  isDryRun: boolean
}

/** The result of a tool that was still running when its turn ended. */
export interface LateResult {
  type: 'late_result'
  id: string
  name: string
  result: string
  isError: boolean
}

/** Something that failed, in a sentence for the operator. It's part of the transcript, but nobody hears it. */
export interface TroublePart {
  type: 'trouble'
  sentence: string
}

/** The end of a turn that the contact interrupted: what the agent would have said after it isn't known. */
export interface InterruptedPart {
  type: 'interrupted'
}

/** A turn, as it's stored. */
export interface Turn {
  /** Null if the agent speaks first. */
  input: TurnInput | null
  parts: readonly TurnPart[]
  /**
   * The messages that the turn adds to the model's history, as plain JSON. Null if the turn didn't end: its process was
   * killed, or another process took the next turn. Then its parts are those until its last tool with effects.
   */
  messages: readonly ModelMessage[] | null
  startedAt: Date
}

/** Why a conversation ended by itself. */
export type OwnEnd = 'agent' | 'silence' | 'limit' | 'failed'

/** A turn that has ended, with its usage, its model, and why the conversation ended, if it did. */
export interface FinishedTurn extends Turn {
  messages: readonly ModelMessage[]
  usage: TokenUsage
  /** The late results that it has taken. */
  lateResultIds: readonly string[]
  /** The model that answered last. Undefined if none did. */
  model: string | undefined
  /** Undefined if the conversation continues. */
  end: OwnEnd | undefined
}

/** An event that a conversation streams while a turn is in progress. */
export type TurnEvent =
  /** The next words. They belong to the last part if that's of the same kind. */
  | SaidPart
  | { type: 'tool_started'; tool: ToolPart }
  | { type: 'tool_finished'; tool: ToolPart }
  | LateResult
  | TroublePart
  | InterruptedPart
