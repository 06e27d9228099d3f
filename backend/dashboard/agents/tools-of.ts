import type { Deps } from '../../deps.ts'
import { getConfigSchema } from '../../tools/config-form.ts'
import { listAssignments } from '../../tools/list-assignments.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import type { Badge } from '../page/badges.ts'
import { formatToolKind } from '../tools/in-words.ts'

/** A tool of the workspace, as an agent's page shows it. */
export interface AgentTool {
  id: number
  name: string
  description: string
  kind: string
  isAssigned: boolean
  /** There is something to choose when it is assigned. */
  hasConfig: boolean
  badge: Badge
  /** Why the agent cannot use it though it has it. */
  issue: string | null
}

/** @throws {ApiError} not_found where there is no such agent */
export const listAgentTools =
  (deps: Deps) =>
  async (workspaceId: number, agentId: number): Promise<AgentTool[]> => {
    const assignments = await listAssignments(deps)(workspaceId, agentId)
    const issues = new Map(assignments.map(({ tool, issues }) => [tool.id, issues]))
    const tools = await listTools(deps)(workspaceId)
    return tools.map(({ id, name, description, kind, isActive }) => {
      const [issue] = issues.get(id) ?? []
      const isAssigned = issues.has(id)
      return {
        ...{ id, name, description, isAssigned },
        kind: formatToolKind(kind),
        hasConfig: Object.keys(getConfigSchema(kind).properties ?? {}).length > 0,
        badge: toToolBadge({ isAssigned, isActive, isConfigured: issue === undefined }),
        issue: issue?.message ?? null,
      }
    })
  }

function toToolBadge(tool: { isAssigned: boolean; isActive: boolean; isConfigured: boolean }): Badge {
  if (!tool.isActive) return { tone: 'mute', text: 'Switched off' }
  if (!tool.isAssigned) return { tone: 'mute', text: 'Not assigned' }
  return tool.isConfigured ? { tone: 'good', text: 'Ready' } : { tone: 'warn', text: 'Not set up' }
}
