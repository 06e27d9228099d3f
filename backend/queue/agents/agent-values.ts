import { AgentResult } from '@outdial/contract'
import * as z from 'zod'
import type { Actor } from '../../platform/core/actor.ts'

/** The values that an agent's form edits. A version stores all of them. */
export interface AgentValues {
  name: string
  /** A BCP 47 language tag. */
  language: string
  greeting: string
  /** Names of the contact's variables that the texts use. */
  variables: string[]
  instructions: string
  speaks_first: 'agent' | 'contact'
  /** Describes what a call must achieve to meet its goal. Blank if calls have no goal. */
  goal: string
  results: AgentResult[]
  /** Null for the default model. */
  model: string | null
  /**
   * The maximum length of a conversation. Null for agents created before versions existed: the general limits apply to them.
   */
  max_minutes: number | null
  closing_line: string
  /** True if the agent says at the beginning that it's an AI. */
  ai_disclosure: boolean
  /** Sentences that replace Outdial's own, by the names that `calling/conversation/phrases` gives them. */
  phrases: Record<string, string>
}

/** A stored version of an agent, with the agent's columns that repeat the values of the published version. */
export interface StoredVersion {
  number: number
  /** Null for an agent that an earlier version of Outdial created. */
  values: unknown
  created_by: Actor | null
  created_at: Date
  published: number
  name: string
  language: string
  greeting: string
  variables: string[]
}

/** Parses the stored values of a version. Fields that didn't exist when the version was stored get their defaults. */
const StoredValues = z.object({
  name: z.string(),
  language: z.string(),
  greeting: z.string(),
  variables: z.array(z.string()),
  instructions: z.string().default(''),
  speaks_first: z.enum(['agent', 'contact']).default('agent'),
  goal: z.string().default(''),
  results: z.array(AgentResult).default([]),
  model: z.string().nullable().default(null),
  max_minutes: z.int().nullable().default(null),
  closing_line: z.string().default(''),
  ai_disclosure: z.boolean().default(true),
  phrases: z.record(z.string(), z.string()).default({}),
})

export function toAgentValues(stored: Omit<StoredVersion, 'created_by' | 'created_at'>): AgentValues {
  const { name, language, greeting, variables } = stored
  // During an update, an earlier version of Outdial can run beside this one. That version changes only the agent's columns, so
  // the columns win.
  const columns = stored.number === stored.published ? { name, language, greeting, variables } : {}
  return StoredValues.parse({ ...(stored.values as object | null), ...columns })
}
