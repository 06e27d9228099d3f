import { AgentResult } from '@outdial/contract'
import * as z from 'zod'
import type { Actor } from '../../platform/core/actor.ts'

/** Everything that an agent's form edits. A version stores all of it. */
export interface AgentValues {
  name: string
  /** BCP 47. */
  language: string
  greeting: string
  /** Names of the contact's variables that the texts use. */
  variables: string[]
  instructions: string
  speaks_first: 'agent' | 'contact'
  /** When a call has met its goal, in words. Blank if there is none. */
  goal: string
  results: AgentResult[]
  /** Null for the default model. */
  model: string | null
  /** The longest conversation. Null for agents from before there were versions, which have the dialer's limit. */
  max_minutes: number | null
  closing_line: string
  /** True if the agent says at the beginning that it's an AI. */
  ai_disclosure: boolean
  /** Sentences that replace those of Outdial, by their names in `calling/conversation/phrases`. */
  phrases: Record<string, string>
}

/** An agent's version as it's stored, with the columns of the agent that belong to the published one. */
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

/** Reads the values of a version. Fields that were added since it was stored have their default. */
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

/** Returns the values of a stored version. */
export function toAgentValues(stored: Omit<StoredVersion, 'created_by' | 'created_at'>): AgentValues {
  const { name, language, greeting, variables } = stored
  // An earlier version of Outdial that runs beside this one saves only the columns.
  const columns = stored.number === stored.published ? { name, language, greeting, variables } : {}
  return StoredValues.parse({ ...(stored.values as object | null), ...columns })
}
