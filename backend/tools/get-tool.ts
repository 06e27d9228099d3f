import type { Deps } from '../deps.ts'
import { openSecrets } from './custom/tool-secrets.ts'
import { toolKinds } from './kind-registry.ts'
import { getDefinitions, hasEffects, type ToolDefinition } from './kinds/tool-kind.ts'
import { describeTool, type ListedTool, toolNotFound } from './tool-catalog.ts'
import { selectTools } from './tool-store.ts'

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
export async function getTool(
  { db, secretBox }: Pick<Deps, 'db' | 'secretBox'>,
  { workspaceId, toolId }: { workspaceId: number; toolId: number },
): Promise<ToolDetails> {
  const [tool] = await selectTools(db, workspaceId, toolId)
  const kind = tool && toolKinds.get(tool.row.kind)
  if (tool === undefined || kind === undefined) throw toolNotFound()
  const definitions = getDefinitions(kind, tool.row)
  const names = definitions === 'unreadable' ? [] : definitions.map(({ name }) => name)
  return {
    ...describeTool(tool),
    agents: tool.agents,
    definitions,
    effects: names.filter((name) => hasEffects(kind, tool.row, name)),
    secretNames: Object.keys(openSecrets(secretBox, tool.row.secrets)).sort(),
  }
}
