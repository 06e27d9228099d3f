import type { Deps } from '../deps.ts'
import { removeSubscriptionsOf } from '../webhooks/store.ts'
import { revokeGrantsOf } from './store.ts'

/** Ends all that an app may do for a user in a workspace: grants, tokens, webhook subscriptions. */
export const disconnectApp =
  (deps: Pick<Deps, 'db'>) =>
  async (input: { workspaceId: number; userId: number; clientId: string }): Promise<void> => {
    const { workspaceId, userId, clientId } = input
    await deps.db.transaction().execute(async (trx) => {
      await revokeGrantsOf(trx, workspaceId, { userId, clientId })
      await removeSubscriptionsOf(trx, { workspaceId, userId, clientId })
    })
  }
