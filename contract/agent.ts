import * as z from 'zod'
import { listOf } from './lists.ts'
import { Id } from './primitives.ts'

/** A Live voice agent. Agents are made in the dashboard. */
export const Agent = z
  .object({
    id: Id,
    name: z.string(),
    language: z.string().describe('BCP 47, for example en-US'),
    variables: z.array(z.string()).describe("names that the agent's script uses"),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentList = listOf(Agent, 'AgentList')
export type AgentList = z.infer<typeof AgentList>
