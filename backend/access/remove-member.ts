import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { revokeGrantsOf } from '../oauth/oauth-store.ts'
import { removeSubscriptionsOf } from '../webhooks/subscription-store.ts'
import { withdrawInvitationsBy } from '../identity/invitation-store.ts'
import { deleteMembership, revokeApiKeysOf } from '../identity/user-store.ts'

/**
 * Ends a membership and all that acts in its name there: grants with their tokens, API keys, webhook
 * subscriptions, and the invitations by which the user could come back. Other workspaces of the same user are untouched.
 * @throws {ApiError} `not_found` where the user is no member
 */
export const removeMember =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (input: { workspaceId: number; userId: number }): Promise<void> => {
    const { workspaceId, userId } = input
    const end = async (trx: Db) => {
      // First, so that an authorization which is under way finds no membership any more.
      if (!(await deleteMembership(trx, workspaceId, userId))) {
        throw notFound('This user is not a member of this workspace.')
      }
      await revokeGrantsOf(trx, workspaceId, { userId })
      await revokeApiKeysOf(trx, workspaceId, userId, deps.clock.now())
      await removeSubscriptionsOf(trx, { workspaceId, userId })
      await withdrawInvitationsBy(trx, workspaceId, userId)
    }
    await (deps.db.isTransaction ? end(deps.db) : deps.db.transaction().execute(end))
  }
