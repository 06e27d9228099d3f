import type { Deps } from '../deps.ts'
import type { ToolKindName } from '../db/schema.ts'
import { installBuiltInTools } from './install-built-in.ts'
import type { ToolRow } from './kinds/tool-kind.ts'
import { toolKinds } from './kind-registry.ts'
import { selectTools } from './tool-store.ts'

/** A tool of a workspace. */
export interface ToolDescription {
  id: number
  kind: ToolKindName
  name: string
  description: string
  isActive: boolean
  /** What the kind keeps of it. Secrets stand in it as `{{secret.NAME}}`. */
  settings: Record<string, unknown>
}

export interface ListedTool extends ToolDescription {
  /** Ids of the agents that have it. */
  agents: number[]
}

/** The tools of a workspace. One that is older than a built-in tool is given that tool now. */
export const listTools =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (workspaceId: number): Promise<ListedTool[]> => {
    await installBuiltInTools(deps, workspaceId)
    const tools = await selectTools(deps.db, workspaceId)
    return tools.map(({ agents, ...tool }) => ({ ...describeTool(tool), agents }))
  }

/** A row as people are shown it. */
export const describeTool = ({ row, isActive }: { row: ToolRow; isActive: boolean }): ToolDescription => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  description: toolKinds.get(row.kind)?.builtIn?.description ?? row.description,
  isActive,
  settings: row.settings,
})
