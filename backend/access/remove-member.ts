import { notFound } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { revokeApiKeysOfUser } from '../identity/credential-store.ts'
import { deleteInvitationsBy } from '../identity/invitation-store.ts'
import { deleteMembership } from '../identity/member-store.ts'
import { requireOtherOwner } from '../identity/members.ts'
import { revokeGrants } from '../oauth/oauth-store.ts'
import { removeSubscriptions } from '../webhooks/subscriptions.ts'

/**
 * Ends a membership and all that acts in its name there: grants with their tokens, API keys, webhook
 * subscriptions, and the invitations by which the user could come back. Other workspaces of the same user are untouched.
 * @throws {ApiError} `not_found` where the user is no member
 */
export async function endMembership(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: { workspaceId: number; userId: number },
): Promise<void> {
  const { workspaceId, userId } = input
  const remove = async (tx: Db) => {
    // First, so that an authorization which is under way finds no membership any more.
    if (!(await deleteMembership(tx, workspaceId, userId))) {
      throw notFound('This user is not a member of this workspace.')
    }
    await revokeGrants(tx, workspaceId, { userId })
    await revokeApiKeysOfUser(tx, workspaceId, userId, deps.clock.now())
    await removeSubscriptions(tx, { workspaceId, userId })
    await deleteInvitationsBy(tx, workspaceId, userId)
  }
  await (deps.db.isTransaction ? remove(deps.db) : deps.db.transaction().execute(remove))
}

/**
 * Ends a membership as its workspace's owners may, or as the member who leaves does: there is always an owner left.
 *
 * @throws {ApiError} not_found, validation_failed for the last owner
 */
export const removeMember = (deps: Deps, input: { workspaceId: number; userId: number }): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await requireOtherOwner(tx.db, input.workspaceId, input.userId)
    await endMembership(tx, input)
  })
