import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { changeRole } from './members.ts'
import { findRole, lockMembers } from './member-store.ts'
import { upsertMembership } from './user-store.ts'

/**
 * Lets a user work in a workspace; on a member it changes the role.
 *
 * @throws {ApiError} validation_failed where the last owner would become a member
 */
export const addMember =
  (deps: Deps) =>
  (input: { workspaceId: number; userId: number; role: 'owner' | 'member' }): Promise<void> =>
    inTransaction(deps, async (tx) => {
      await lockMembers(tx.db, input.workspaceId)
      const role = await findRole(tx.db, input.workspaceId, input.userId)
      if (role !== undefined) return changeRole(tx)(input)
      await upsertMembership(tx.db, input.workspaceId, input)
    })
