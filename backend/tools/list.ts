import type { Deps } from '../deps.ts'
import { installBuiltInTools } from './install-built-in.ts'
import { toolKinds } from './kinds/registry.ts'
import { type ListedTool, selectTools } from './store.ts'

/** The tools of a workspace. One that is older than a built-in tool is given that tool now. */
export const listTools =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (workspaceId: number): Promise<ListedTool[]> => {
    await installBuiltInTools(deps, workspaceId)
    const tools = await selectTools(deps.db, workspaceId)
    return tools.map((tool) => ({
      ...tool,
      description: toolKinds.get(tool.kind)?.builtIn?.description ?? tool.description,
    }))
  }
