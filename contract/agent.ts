import * as z from 'zod'
import { agentTexts } from './field-texts.ts'
import { listOf } from './lists.ts'
import { describeFields, Id } from './primitives.ts'

/** Something that an agent finds out in its conversations. */
export const AgentResult = z
  .object({
    name: z.string().describe('The name of the value in `extracted`, for example appointment_day.'),
    type: z
      .enum(['text', 'number', 'yes_no', 'choice'])
      .describe('`yes_no` is true or false, and `choice` is one of the choices.'),
    description: z.string().describe('What to find out. Blank if the name says it.'),
    choices: z.array(z.string()).describe('The values of a `choice`. Empty for other types.'),
  })
  .meta({ id: 'AgentResult' })
export type AgentResult = z.infer<typeof AgentResult>

/** A Live voice agent. Agents are created in the dashboard. */
export const Agent = z
  .object(
    describeFields(
      {
        id: Id,
        name: z.string(),
        language: z.string(),
        variables: z.array(z.string()),
        results: z.array(AgentResult),
      },
      agentTexts,
    ),
  )
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentList = listOf(Agent, 'AgentList')
export type AgentList = z.infer<typeof AgentList>
