import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../db/transaction.ts'
import { endMembership } from '../../access/remove-member.ts'
import { requireOtherOwner } from './keep-an-owner.ts'

/**
 * Ends a membership as its workspace's owners may, or as the member who leaves does: there is always an owner left.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const removeMember =
  (deps: Deps) =>
  (input: { workspaceId: number; userId: number }): Promise<void> =>
    inTransaction(deps, async (tx) => {
      await requireOtherOwner(tx.db, input.workspaceId, input.userId)
      await endMembership(tx)(input)
    })
