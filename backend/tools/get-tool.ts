import type { Deps } from '../deps.ts'
import { noSuchTool } from './general/save.ts'
import { definitionsOf, hasEffects, type ToolDefinition } from './kinds/kind.ts'
import { toolKinds } from './kinds/registry.ts'
import { describeTool, type ListedTool } from './list.ts'
import { selectTools } from './store.ts'
import { openSecrets } from './tool-secrets.ts'

/** A tool of a workspace, as its own page shows it. */
export interface ToolDetails extends ListedTool {
  /** What agents see of it; `unreadable` where its settings were written past the checks. */
  definitions: ToolDefinition[] | 'unreadable'
  /** Names of those of its definitions that change something when they are used. */
  effects: string[]
  /** Names of its secrets. They can be replaced, never read. */
  secretNames: string[]
}

/** @throws {ApiError} not_found */
export const getTool =
  ({ db, box }: Pick<Deps, 'db' | 'box'>) =>
  async ({ workspaceId, toolId }: { workspaceId: number; toolId: number }): Promise<ToolDetails> => {
    const [tool] = await selectTools(db, workspaceId, toolId)
    const kind = tool && toolKinds.get(tool.row.kind)
    if (tool === undefined || kind === undefined) throw noSuchTool()
    const definitions = definitionsOf(kind, tool.row)
    const names = definitions === 'unreadable' ? [] : definitions.map(({ name }) => name)
    return {
      ...describeTool(tool),
      agents: tool.agents,
      definitions,
      effects: names.filter((name) => hasEffects(kind, tool.row, name)),
      secretNames: Object.keys(openSecrets(box, tool.row.secrets)).sort(),
    }
  }
