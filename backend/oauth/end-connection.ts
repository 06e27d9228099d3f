import type { Deps } from '../deps.ts'
import { removeSubscriptions } from '../webhooks/subscription-store.ts'
import { findConnection, hasGrant, revokeGrant } from './oauth-store.ts'

/**
 * An app gives its access back (RFC 7009). With the last grant of a user, app and workspace its webhook
 * subscriptions go too: an app that may read no calls is told of none.
 */
export const endConnection =
  (deps: Pick<Deps, 'db'>) =>
  async (grantHash: Buffer): Promise<void> => {
    await deps.db.transaction().execute(async (tx) => {
      const connection = await findConnection(tx, grantHash)
      await revokeGrant(tx, grantHash)
      if (!connection || (await hasGrant(tx, connection.workspaceId, connection))) return
      await removeSubscriptions(tx, connection)
    })
  }
