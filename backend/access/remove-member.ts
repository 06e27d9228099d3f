import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { deleteMember, requireOtherOwner } from '../identity/members.ts'
import { revokeGrants } from '../oauth/grants.ts'
import { removeSubscriptions } from '../webhooks/subscriptions.ts'

/**
 * Ends a membership and everything that acts in its name in this workspace: grants with their tokens, API
 * keys, webhook subscriptions, and the invitations by which the user could come back.
 *
 * @throws {ApiError} not_found where the user is no member
 */
export const endMembership = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  userId: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    // First, so that an authorization which is under way finds no membership any more.
    await deleteMember(tx, workspaceId, userId)
    await revokeGrants(tx, workspaceId, userId)
    await removeSubscriptions(tx.db, workspaceId, { userId })
  })

/**
 * Ends a membership for an owner, or for the member who leaves. There is always an owner left.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const removeMember = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  userId: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await requireOtherOwner(tx, workspaceId, userId)
    await endMembership(tx, workspaceId, userId)
  })
