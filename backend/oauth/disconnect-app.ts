import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { removeSubscriptions } from '../webhooks/subscription-store.ts'
import { revokeGrants } from './oauth-store.ts'

/**
 * Ends all that an app may do for a user in a workspace: grants, tokens, webhook subscriptions. Answers how many of
 * the last there were.
 */
export const disconnectApp =
  (deps: Deps) =>
  (input: { workspaceId: number; userId: number; clientId: string }): Promise<{ subscriptions: number }> =>
    inTransaction(deps, async ({ db }) => {
      const { workspaceId, userId, clientId } = input
      await revokeGrants(db, workspaceId, { userId, clientId })
      return { subscriptions: await removeSubscriptions(db, { workspaceId, userId, clientId }) }
    })
