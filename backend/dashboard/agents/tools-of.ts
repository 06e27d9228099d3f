import type { Deps } from '../../deps.ts'
import { configSchemaOf } from '../../tools/config-form.ts'
import { listAssignments } from '../../tools/list-assignments.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import type { Sign } from '../page/badges.ts'
import { kindInWords } from '../tools/in-words.ts'

/** A tool of the workspace, as an agent's page shows it. */
export interface AgentTool {
  id: number
  name: string
  description: string
  kind: string
  isAssigned: boolean
  /** There is something to choose when it is assigned. */
  hasConfig: boolean
  sign: Sign
  /** Why the agent cannot use it though it has it. */
  fault: string | null
}

/** @throws {ApiError} not_found where there is no such agent */
export const toolsOf =
  (deps: Deps) =>
  async (workspaceId: number, agentId: number): Promise<AgentTool[]> => {
    const assignments = await listAssignments(deps)(workspaceId, agentId)
    const faults = new Map(assignments.map(({ tool, faults }) => [tool.id, faults]))
    const tools = await listTools(deps)(workspaceId)
    return tools.map(({ id, name, description, kind, isActive }) => {
      const [fault] = faults.get(id) ?? []
      const isAssigned = faults.has(id)
      return {
        ...{ id, name, description, isAssigned },
        kind: kindInWords(kind),
        hasConfig: Object.keys(configSchemaOf(kind).properties ?? {}).length > 0,
        sign: signOf({ isAssigned, isActive, isFit: fault === undefined }),
        fault: fault?.message ?? null,
      }
    })
  }

function signOf(tool: { isAssigned: boolean; isActive: boolean; isFit: boolean }): Sign {
  if (!tool.isActive) return { tone: 'mute', text: 'Switched off' }
  if (!tool.isAssigned) return { tone: 'mute', text: 'Not assigned' }
  return tool.isFit ? { tone: 'good', text: 'Ready' } : { tone: 'warn', text: 'Not set up' }
}
