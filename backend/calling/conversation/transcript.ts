import type { ModelMessage } from 'ai'
import type { TokenUsage } from './model/usage.ts'

/** The contact's side of a turn: they said something, or nothing. */
export type TurnInput = { type: 'speech'; text: string } | { type: 'silence' }

/** A part of the agent's side of a turn. A turn has its parts in the order in which they happened. */
export type TurnPart = SaidPart | ToolPart | LateResult | TroublePart | InterruptedPart

export interface SaidPart {
  type: 'said'
  text: string
  /** True for a sentence that bridges a pause. The model's history doesn't contain it. */
  isFiller?: true
}

export interface ToolPart {
  type: 'tool'
  /** Identifies the tool call in the conversation. */
  id: string
  name: string
  args: unknown
  /** Null while the tool is running, and if it was still running when the turn ended. */
  result: string | null
  isError: boolean
  /** True if the tool has effects that were left out, because the conversation is a chat. */
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

/** A failure, in a sentence for the operator. It's part of the transcript, but the contact doesn't hear it. */
export interface TroublePart {
  type: 'trouble'
  sentence: string
}

/** Marks where the contact interrupted a turn. It's unknown what the agent would have said next. */
export interface InterruptedPart {
  type: 'interrupted'
}

/** A turn, as it's stored. */
export interface Turn {
  /** Null if the agent speaks first. */
  input: TurnInput | null
  parts: readonly TurnPart[]
  /**
   * The messages that the turn adds to the model's history, as plain JSON. Null if the turn didn't end: its process was killed,
   * or another process took the next turn. `parts` then has what was saved when a tool that has effects last started or
   * finished.
   */
  messages: readonly ModelMessage[] | null
  startedAt: Date
}

/** The reasons for which a conversation ends itself. A chat can also end for other reasons, such as when its member ends it. */
export type OwnEnd = 'agent' | 'silence' | 'limit' | 'failed'

/** A turn that has ended, with its usage, its model, and why the conversation ended, if it did. */
export interface FinishedTurn extends Turn {
  messages: readonly ModelMessage[]
  usage: TokenUsage
  /** The IDs of the late results that this turn has given to the model. */
  lateResultIds: readonly string[]
  /** The model that answered last. Undefined if no model did. */
  model: string | undefined
  /** Undefined if the conversation continues. */
  end: OwnEnd | undefined
}

/** An event that a conversation streams while a turn is in progress. */
export type TurnEvent =
  /** The next words. They extend the turn's last part if it's also a `SaidPart`, and both or neither are fillers. */
  | SaidPart
  | { type: 'tool_started'; tool: ToolPart }
  | { type: 'tool_finished'; tool: ToolPart }
  | LateResult
  | TroublePart
  | InterruptedPart
