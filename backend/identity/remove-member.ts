import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { revokeGrantsOf } from '../oauth/store.ts'
import { removeSubscriptionsOf } from '../webhooks/store.ts'
import { deleteMembership, revokeApiKeysOf } from './people/store.ts'

/**
 * Ends a membership and all that acts in its name there: grants with their tokens, API keys, and webhook
 * subscriptions. Other workspaces of the same user are untouched.
 * @throws {ApiError} `not_found` where the user is no member
 */
export const removeMember =
  (deps: Pick<Deps, 'db' | 'clock'>) =>
  async (input: { workspaceId: number; userId: number }): Promise<void> => {
    const { workspaceId, userId } = input
    await deps.db.transaction().execute(async (trx) => {
      // First, so that an authorization which is under way finds no membership any more.
      if (!(await deleteMembership(trx, workspaceId, userId))) {
        throw notFound('This user is not a member of this workspace.')
      }
      await revokeGrantsOf(trx, workspaceId, { userId })
      await revokeApiKeysOf(trx, workspaceId, userId, deps.clock.now())
      await removeSubscriptionsOf(trx, { workspaceId, userId })
    })
  }
