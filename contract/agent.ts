import * as z from 'zod'
import { agentTexts } from './field-texts.ts'
import { listOf } from './lists.ts'
import { describeFields, Id } from './primitives.ts'

/** A Live voice agent. Agents are created in the dashboard. */
export const Agent = z
  .object(
    describeFields(
      {
        id: Id,
        name: z.string(),
        language: z.string(),
        variables: z.array(z.string()),
      },
      agentTexts,
    ),
  )
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentList = listOf(Agent, 'AgentList')
export type AgentList = z.infer<typeof AgentList>
