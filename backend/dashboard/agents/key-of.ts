import { noSuchTool } from '../../tools/save-custom-tool.ts'
import type { Visit } from '../visit.ts'

/** The agent and the tool that an address names. */
export function keyOf({ workspace, id, other }: Visit): {
  workspaceId: number
  agentId: number
  toolId: number
} {
  if (!/^[1-9]\d{0,14}$/.test(other)) throw noSuchTool()
  return { workspaceId: workspace.id, agentId: id, toolId: Number(other) }
}
