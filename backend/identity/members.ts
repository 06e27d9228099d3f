import { ApiError, notFound } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import { lockWorkspace } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { deleteInvitationsBy } from './invitation-store.ts'
import { findRole, hasOtherOwner, updateRole, upsertMembership } from './member-store.ts'

/**
 * Makes a member an owner, or an owner a member: then their open invitations end, since they could come back by one.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const changeRole = (
  deps: Deps,
  input: { workspaceId: number; userId: number; role: 'owner' | 'member' },
): Promise<void> =>
  inTransaction(deps, async ({ db }) => {
    const { workspaceId, userId, role } = input
    if (role === 'owner') return makeOwner(db, workspaceId, userId)
    await requireOtherOwner(db, workspaceId, userId)
    await updateRole(db, workspaceId, userId, role)
    await deleteInvitationsBy(db, workspaceId, userId)
  })

async function makeOwner(db: Deps['db'], workspaceId: number, userId: number): Promise<void> {
  await lockWorkspace(db, workspaceId)
  const role = await findRole(db, workspaceId, userId)
  if (role === undefined) throw notFound('This user is not a member of this workspace.')
  await updateRole(db, workspaceId, userId, 'owner')
}

/**
 * Lets a user work in a workspace; on a member it changes the role.
 *
 * @throws {ApiError} validation_failed where the last owner would become a member
 */
export const addMember = (
  deps: Deps,
  input: { workspaceId: number; userId: number; role: 'owner' | 'member' },
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await lockWorkspace(tx.db, input.workspaceId)
    const role = await findRole(tx.db, input.workspaceId, input.userId)
    if (role !== undefined) return changeRole(tx, input)
    await upsertMembership(tx.db, input.workspaceId, input)
  })

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
  await lockWorkspace(tx, workspaceId)
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
