import type { Extracted } from '@outdial/contract'
import type { Generated } from 'kysely'
import type { CreatedAt, JsonWithDefault, NullableJson, TimestampColumn } from './column-types.ts'

/** Conversations that Outdial holds through a language model. */
export interface ConversationTables {
  conversation: ConversationTable
  conversation_turn: ConversationTurnTable
  model_usage: ModelUsageTable
  model_health: ModelHealthTable
}

/**
 * Why a conversation ended: the agent or the member ended it, the contact said nothing, it reached a limit, no model
 * responded, or no more messages came.
 */
export type ConversationEnd = 'agent' | 'member' | 'silence' | 'limit' | 'failed' | 'idle'

/** A chat of a member with an agent. */
interface ConversationTable {
  id: Generated<string>
  workspace_id: number
  agent_id: number
  agent_version: number
  /** Null if the chat uses sample values instead of a contact. */
  contact_id: number | null
  sample_values: NullableJson<unknown>
  user_id: number
  /** The number of the newest turn. A process that still works on an earlier turn can't store that turn. */
  turn: Generated<number>
  /** The results of tools that took longer than their turn. The next turn uses and removes them. */
  late_results: JsonWithDefault<unknown[]>
  /** The values that the conversation has given so far for the agent's results. */
  found: NullableJson<Extracted>
  /** The model that responded last. */
  model: string | null
  input_tokens: Generated<number>
  output_tokens: Generated<number>
  has_estimated_tokens: Generated<boolean>
  started_at: CreatedAt
  last_turn_at: CreatedAt
  ended_at: TimestampColumn | null
  end_reason: ConversationEnd | null
  analysis: NullableJson<unknown>
  /** Why there's no analysis. */
  analysis_failure: string | null
  analysis_attempts: Generated<number>
  /** When the next attempt of the analysis may begin. During an attempt, when its lease ends. Null if none is due. */
  analysis_at: TimestampColumn | null
}

interface ConversationTurnTable {
  workspace_id: number
  conversation_id: string
  number: number
  /** Says what the contact did. Null if the agent speaks first. */
  input: NullableJson<unknown>
  /** Lists what the agent said and did. Null while the turn is in progress, and if its process was killed. */
  parts: NullableJson<unknown>
  /** Lists the messages that the turn adds to the model's history. */
  messages: NullableJson<unknown>
  started_at: TimestampColumn
}

/** The number of tokens that a workspace's conversations have used, by day in UTC. */
interface ModelUsageTable {
  workspace_id: number
  /** YYYY-MM-DD. */
  day: string
  tokens: number
}

/** Failures of language models, which all processes share. */
interface ModelHealthTable {
  /** The server's URL and the model's name. */
  key: string
  failures: number
  failed_at: TimestampColumn
}
