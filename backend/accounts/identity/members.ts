import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { lockWorkspace } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { revokeApiKeysOfUser } from './credential-store.ts'
import { deleteInvitationsByInviter } from './invitation-store.ts'
import {
  deleteMembership,
  findRole,
  hasOtherOwner,
  lockMembership,
  type MemberWorkspace,
  selectWorkspacesOfUser,
  updateRole,
  upsertMembership,
} from './member-store.ts'

/**
 * Makes a member an owner, or an owner a member. If an owner becomes a member, the open invitations that they created
 * are deleted, because they could use one to become an owner again.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const changeRole = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  userId: number,
  role: 'owner' | 'member',
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    if (role === 'owner') return makeOwner(tx.db, workspaceId, userId)
    await requireOtherOwner(tx, workspaceId, userId)
    await updateRole(tx.db, workspaceId, userId, role)
    await deleteInvitationsByInviter(tx.db, workspaceId, userId)
  })

/** Makes a member an owner. Call it in a transaction. */
async function makeOwner(db: Db, workspaceId: number, userId: number): Promise<void> {
  await lockWorkspace(db, workspaceId)
  const role = await findRole(db, workspaceId, userId)
  if (role === undefined) throw notMember()
  await updateRole(db, workspaceId, userId, 'owner')
}

/**
 * Locks a membership, for a transaction that creates something that must end with it, such as an API key. Ending the membership
 * waits for the transaction, and so also ends what it created. Transactions that lock the same membership take turns. Returns
 * false if the user isn't a member.
 */
export const lockMember = (tx: Pick<Deps, 'db'>, workspaceId: number, userId: number): Promise<boolean> =>
  lockMembership(tx.db, workspaceId, userId)

const notMember = () => new FormError('not_found', "This user isn't a member of this workspace.")

/**
 * Adds a user to a workspace. If the user is already a member, this changes the role.
 *
 * @throws {ApiError} validation_failed if the last owner would become a member
 */
export const addMember = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  userId: number,
  role: 'owner' | 'member',
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await lockWorkspace(tx.db, workspaceId)
    const currentRole = await findRole(tx.db, workspaceId, userId)
    if (currentRole !== undefined) return changeRole(tx, workspaceId, userId, role)
    await upsertMembership(tx.db, workspaceId, { userId, role })
  })

/**
 * Locks the workspace and throws if the user is its last owner. Call it first in every transaction that takes away an
 * owner's role: if two owners leave at the same time, the lock makes the second one fail.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export async function requireOtherOwner(
  tx: Pick<Deps, 'db'>,
  workspaceId: number,
  userId: number,
): Promise<void> {
  await lockWorkspace(tx.db, workspaceId)
  // Reads the role in a separate statement, because the one that locks doesn't see what was committed while it waited.
  const role = await findRole(tx.db, workspaceId, userId)
  if (role === undefined) throw notMember()
  if (role === 'owner' && !(await hasOtherOwner(tx.db, workspaceId, userId))) throw lastOwnerError()
}

const lastOwnerError = () =>
  new FormError(
    'validation_failed',
    'This is the last owner of the workspace. Make another member an owner first.',
  )

/**
 * Removes a user from a workspace, with the API keys and open invitations that they created there. Doesn't end the
 * access of their connected apps: see accounts/access/remove-member.ts.
 *
 * @throws {ApiError} not_found
 */
export async function deleteMember(
  tx: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  userId: number,
): Promise<void> {
  if (!(await deleteMembership(tx.db, workspaceId, userId))) throw notMember()
  await revokeApiKeysOfUser(tx.db, workspaceId, userId, tx.clock.now())
  await deleteInvitationsByInviter(tx.db, workspaceId, userId)
}

/** Lists the workspaces that a user is a member of, sorted by name. */
export const listWorkspaces = (deps: Pick<Deps, 'db'>, userId: number): Promise<MemberWorkspace[]> =>
  selectWorkspacesOfUser(deps.db, userId)
