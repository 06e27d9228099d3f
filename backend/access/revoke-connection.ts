import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { endApiKey } from '../identity/api-keys.ts'
import { revokeGrants } from '../oauth/grants.ts'
import { removeSubscriptions } from '../webhooks/subscriptions.ts'

/**
 * Ends an API key at once with its webhook subscriptions, and returns how many those were.
 *
 * @throws {ApiError} not_found where the workspace has no such key, or it is revoked already
 */
export const revokeApiKey = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  apiKeyId: number,
): Promise<{ subscriptions: number }> =>
  inTransaction(deps, async (tx) => {
    await endApiKey(tx, workspaceId, apiKeyId)
    return { subscriptions: await removeSubscriptions(tx.db, workspaceId, { apiKeyId }) }
  })

/**
 * Ends everything that an app may do for a user in a workspace: grants, tokens, webhook subscriptions.
 * Returns how many subscriptions there were.
 */
export const disconnectApp = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  userId: number,
  clientId: string,
): Promise<{ subscriptions: number }> =>
  inTransaction(deps, async (tx) => {
    await revokeGrants(tx, workspaceId, userId, clientId)
    return { subscriptions: await removeSubscriptions(tx.db, workspaceId, { userId, clientId }) }
  })
