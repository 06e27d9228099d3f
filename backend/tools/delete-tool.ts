import type { Deps } from '../deps.ts'
import { ApiError } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { toolNotFound } from './save-custom-tool.ts'
import { deleteCustomTool, lockTool } from './tool-store.ts'

/**
 * Deletes an HTTP tool, or a remote server with all of its tools. Agents lose it at once; what they did with it stays in
 * the records of their calls.
 *
 * @throws {ApiError} not_found; validation_failed for a tool that comes with Outdial
 */
export const deleteTool =
  (deps: Deps) =>
  ({ workspaceId, toolId }: { workspaceId: number; toolId: number }): Promise<void> =>
    inTransaction(deps, async (tx) => {
      const isDeleted = await deleteCustomTool(tx.db, workspaceId, toolId)
      if (!isDeleted)
        throw (await lockTool(tx.db, workspaceId, toolId)) ? builtInNotDeletable() : toolNotFound()
      tx.notify.toolsChanged({ workspaceId })
    })

const builtInNotDeletable = () =>
  new ApiError(
    'validation_failed',
    'This tool comes with Outdial and cannot be deleted: switch it off, or take it away from the agents.',
  )
