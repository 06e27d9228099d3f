import { toolNotFound } from '../../tools/save-custom-tool.ts'
import type { PageContext } from '../visit.ts'

/** The agent and the tool that an address names. */
export function parseAgentToolParams({ workspace, id, other }: PageContext): {
  workspaceId: number
  agentId: number
  toolId: number
} {
  if (!/^[1-9]\d{0,14}$/.test(other)) throw toolNotFound()
  return { workspaceId: workspace.id, agentId: id, toolId: Number(other) }
}
