import * as z from 'zod'
import { getAgent } from '../../agents/get.ts'
import type { Deps } from '../../deps.ts'
import { ApiError } from '../../core/errors.ts'
import { noSuchTool } from '../../tools/save-custom-tool.ts'
import { getTool } from '../../tools/get-tool.ts'
import { listAssignments } from '../../tools/list-assignments.ts'
import { form } from '../page/page-route.ts'
import { submitOnce } from '../page/submit-once.ts'
import { done, template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { keyOf } from './key-of.ts'
import { fieldsOf, readFields, type SchemaField } from './schema-fields.ts'
import { type Trial, tryTool } from './try-tool.ts'

interface TryData {
  agent: { id: number; name: string }
  /** Why it cannot be tried now; null where it can. */
  hindrance: string | null
  toolId: number
  tool: { name: string; description: string; hasEffects: boolean }
  /** Of a remote server: those that can be tried instead. */
  choices: string[]
  fields: SchemaField[]
  trial: Trial | null
}

const page = template<TryData>('dashboard/agents/try-tool-page')

const Query = z.object({ tool: z.string().optional().catch(undefined) })

/** Uses a tool of the agent for real, and shows what the agent would be told. */
export const tryPage = (deps: Deps) =>
  form({
    path: '/agents/:id/tools/:other/try',
    query: Query,
    form: z.record(z.string(), z.unknown()),
    isOnce: false,
    show: async (visit) => {
      const chosen = await choose(deps, visit, visit.query.tool)
      return view(chosen, fieldsOf(chosen.schema, prefix, {}), null)
    },
    submit: async (_, visit, raw) => {
      const chosen = await choose(deps, visit, visit.query.tool)
      if (chosen.hindrance !== null) throw new ApiError('agent_not_live', chosen.hindrance)
      const args = readFields(chosen.schema, prefix, raw)
      const path = pathTo(visit, `/agents/${visit.id}/tools/${visit.other}/try`)
      if (!(await isFirst(deps, visit, path, raw))) {
        return done(path, 'This form had been sent already: the tool was not used twice.')
      }
      const trial = await tryTool(deps)(chosen.widgetId, chosen.data.tool.name, args)
      return view(chosen, fieldsOf(chosen.schema, prefix, args), trial)
    },
  })

const prefix = 'args.'

/** Notes that a form was sent, and commits that before the tool is used: no transaction waits for other services. */
async function isFirst(
  deps: Deps,
  visit: Visit,
  path: string,
  raw: Record<string, unknown>,
): Promise<boolean> {
  let first = false
  await submitOnce(deps, visit, { path, raw }, () => {
    first = true
    return Promise.resolve(done(path))
  })
  return first
}

type Chosen = Awaited<ReturnType<typeof choose>>

const view = ({ data, hindrance }: Chosen, fields: SchemaField[], trial: Trial | null) =>
  page(`Try ${data.tool.name}`, { ...data, hindrance, fields, trial })

/** @throws {ApiError} not_found, also where the agent does not have the tool */
async function choose(deps: Deps, visit: Visit, name: string | undefined) {
  const { workspaceId, agentId, toolId } = keyOf(visit)
  const agent = await getAgent(deps)({ workspaceId, agentId })
  const assignments = await listAssignments(deps)(workspaceId, agentId)
  const assignment = assignments.find(({ tool }) => tool.id === toolId)
  if (assignment === undefined) throw noSuchTool()
  const { definitions: told, effects, isActive, ...tool } = await getTool(deps)({ workspaceId, toolId })
  const definitions = told === 'unreadable' ? [] : told
  const definition = name === undefined ? definitions[0] : definitions.find((one) => one.name === name)
  if (definition === undefined && name !== undefined) throw noSuchTool()
  const shown = definition ?? { name: tool.name, description: tool.description, inputSchema: {} }
  return {
    widgetId: agent.widget_id,
    schema: shown.inputSchema,
    hindrance: hindranceOf({
      agent,
      isActive,
      hasDefinition: definition !== undefined,
      fault: assignment.faults[0]?.message,
    }),
    data: {
      agent: { id: agentId, name: agent.name },
      toolId,
      tool: {
        name: shown.name,
        description: shown.description,
        hasEffects: effects.includes(shown.name),
      },
      choices: definitions.length > 1 ? definitions.map((one) => one.name) : [],
    },
  }
}

function hindranceOf(state: {
  agent: { name: string; status: string }
  isActive: boolean
  hasDefinition: boolean
  fault: string | undefined
}): string | null {
  const { agent, isActive, hasDefinition, fault } = state
  if (agent.status !== 'live') {
    const verb = agent.status === 'draft' ? 'Publish' : 'Resume'
    return `${agent.name} is ${agent.status === 'draft' ? 'a draft' : 'paused'}: the tool server lets only live agents in. ${verb} it first.`
  }
  if (!isActive) return 'The tool is switched off for all agents: switch it on first.'
  if (fault !== undefined) return `The tool is not set up for this agent. ${fault}`
  return hasDefinition ? null : 'None of the server’s tools is chosen yet: choose some first.'
}
