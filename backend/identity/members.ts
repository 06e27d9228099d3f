import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { deleteInvitationsBy } from './invitation-store.ts'
import { requireOtherOwner } from './members/keep-an-owner.ts'
import { findRole, lockMembers, updateRole } from './member-store.ts'

/**
 * Makes a member an owner, or an owner a member: then their open invitations end, since they could come back by one.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const changeRole =
  (deps: Deps) =>
  (input: { workspaceId: number; userId: number; role: 'owner' | 'member' }): Promise<void> =>
    inTransaction(deps, async ({ db }) => {
      const { workspaceId, userId, role } = input
      if (role === 'owner') return makeOwner(db, workspaceId, userId)
      await requireOtherOwner(db, workspaceId, userId)
      await updateRole(db, workspaceId, userId, role)
      await deleteInvitationsBy(db, workspaceId, userId)
    })

async function makeOwner(db: Deps['db'], workspaceId: number, userId: number): Promise<void> {
  await lockMembers(db, workspaceId)
  const role = await findRole(db, workspaceId, userId)
  if (role === undefined) throw notFound('This user is not a member of this workspace.')
  await updateRole(db, workspaceId, userId, 'owner')
}
