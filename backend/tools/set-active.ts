import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { toolNotFound } from './save-custom-tool.ts'
import { updateToolActive } from './tool-store.ts'

/**
 * Switches a tool on or off for all agents of its workspace; assignments stay.
 *
 * @throws {ApiError} not_found
 */
export const setToolActive =
  (deps: Deps) =>
  (tool: { workspaceId: number; toolId: number }, isActive: boolean): Promise<void> =>
    inTransaction(deps, async (tx) => {
      const { workspaceId, toolId } = tool
      const isUpdated = await updateToolActive(tx.db, workspaceId, toolId, isActive)
      if (!isUpdated) throw toolNotFound()
      tx.notify.toolsChanged({ workspaceId })
    })
