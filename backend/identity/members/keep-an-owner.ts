import type { Db } from '../../db/schema.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { findRole, hasOtherOwner, lockMembers } from '../member-store.ts'

/**
 * First in every transaction that takes an owner's role away. The lock decides: of two owners who leave at once, the
 * second finds that they are the last one.
 *
 * @returns the member's role
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export async function requireOtherOwner(
  tx: Db,
  workspaceId: number,
  userId: number,
): Promise<'owner' | 'member'> {
  await lockMembers(tx, workspaceId)
  // In statements of their own: one snapshot for both would predate the lock.
  const role = await findRole(tx, workspaceId, userId)
  if (role === undefined) throw notFound('This user is not a member of this workspace.')
  if (role === 'owner' && !(await hasOtherOwner(tx, workspaceId, userId))) throw lastOwnerError()
  return role
}

const lastOwnerError = () =>
  new ApiError(
    'validation_failed',
    'This is the last owner of the workspace: make somebody else an owner first.',
  )
