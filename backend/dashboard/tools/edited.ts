import type { Deps } from '../../deps.ts'
import { getTool } from '../../tools/get-tool.ts'

/** What the forms of a tool edit. Who has it, and whether it is on, is changed elsewhere. */
export async function editedOf(deps: Deps, key: { workspaceId: number; toolId: number }): Promise<object> {
  const { name, description, settings, definitions, secretNames } = await getTool(deps)(key)
  return { name, description, settings, definitions, secretNames }
}
