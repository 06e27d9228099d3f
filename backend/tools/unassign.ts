import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteAssignment } from './assignment-store.ts'

/**
 * Takes a tool away from an agent; its open sessions lose it at once.
 *
 * @throws {ApiError} not_found where the agent has no such tool
 */
export const unassignTool =
  (deps: Deps) =>
  (assignment: { workspaceId: number; agentId: number; toolId: number }): Promise<void> =>
    inTransaction(deps, async (tx) => {
      const isDeleted = await deleteAssignment(tx.db, assignment)
      if (!isDeleted) throw notFound('This agent has no such tool.')
      const { workspaceId, agentId } = assignment
      tx.notify.toolsChanged({ workspaceId, agentId })
    })
