import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { endEventsOfConnection } from '../../webhooks/subscriptions.ts'
import { deleteMember, requireOtherOwner } from '../identity/members.ts'
import { revokeGrants } from '../oauth/grants.ts'

/**
 * Ends a membership and everything that acts for the user in this workspace: grants and their tokens, API keys, and
 * webhook subscriptions. Also deletes the open invitations that they created, because they could use one to rejoin.
 *
 * @throws {ApiError} not_found if the user isn't a member
 */
export const endMembership = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  userId: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    // Deletes the membership first, so that an authorization in progress no longer finds it.
    await deleteMember(tx, workspaceId, userId)
    await revokeGrants(tx, workspaceId, userId)
    const end = { reason: 'member_removed', at: tx.clock.now() } as const
    await endEventsOfConnection(tx, workspaceId, { userId }, end)
  })

/**
 * Removes a member from a workspace: the member leaves, or an owner removes them. The last owner can't be removed.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const removeMember = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  userId: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await requireOtherOwner(tx, workspaceId, userId)
    await endMembership(tx, workspaceId, userId)
  })
