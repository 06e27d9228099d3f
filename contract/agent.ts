import * as z from 'zod'
import { listOf } from './lists.ts'
import { Id } from './primitives.ts'

/** A Live voice agent. Agents are created in the dashboard. */
export const Agent = z
  .object({
    id: Id,
    name: z.string(),
    language: z.string().describe('BCP 47, for example en-US.'),
    variables: z.array(z.string()).describe("The names of the variables in the agent's script."),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentList = listOf(Agent, 'AgentList')
export type AgentList = z.infer<typeof AgentList>
