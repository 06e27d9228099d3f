import type { Deps } from '../../deps.ts'
import { getTool } from '../../tools/get-tool.ts'
import type { PageContext } from '../visit.ts'

/** What the forms of a tool edit. Who has it, and whether it is on, is changed elsewhere. */
export async function loadEditedTool(deps: Deps, { workspace, id: toolId }: PageContext): Promise<object> {
  const { name, description, settings, definitions, secretNames } = await getTool(deps)({
    workspaceId: workspace.id,
    toolId,
  })
  return { name, description, settings, definitions, secretNames }
}
