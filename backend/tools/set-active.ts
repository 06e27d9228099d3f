import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { noSuchTool } from './save-custom-tool.ts'
import { updateActive } from './tool-store.ts'

/**
 * Switches a tool on or off for all agents of its workspace; assignments stay.
 *
 * @throws {ApiError} not_found
 */
export const setToolActive =
  (deps: Deps) =>
  (tool: { workspaceId: number; toolId: number }, isActive: boolean): Promise<void> =>
    inTransaction(deps, async (own) => {
      const { workspaceId, toolId } = tool
      const isThere = await updateActive(own.db, workspaceId, toolId, isActive)
      if (!isThere) throw noSuchTool()
      own.wake.tools({ workspaceId })
    })
