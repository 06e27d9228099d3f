import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { endEventsOfConnection } from '../../webhooks/subscriptions.ts'
import { endApiKey } from '../identity/api-keys.ts'
import { revokeGrants } from '../oauth/grants.ts'

/**
 * Ends an API key immediately, with its webhook subscriptions and callback URLs. Returns how many subscriptions it ended.
 *
 * @throws {ApiError} not_found if the workspace has no such key, or the key is already revoked
 */
export const revokeApiKey = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  apiKeyId: number,
): Promise<{ subscriptions: number }> =>
  inTransaction(deps, async (tx) => {
    await endApiKey(tx, workspaceId, apiKeyId)
    const end = { reason: 'key_revoked', at: tx.clock.now() } as const
    return { subscriptions: await endEventsOfConnection(tx, workspaceId, { apiKeyId }, end) }
  })

/**
 * Ends an app's access for a user in a workspace: grants, tokens, webhook subscriptions, and callback URLs. Returns how
 * many subscriptions it ended.
 */
export const disconnectApp = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  userId: number,
  clientId: string,
): Promise<{ subscriptions: number }> =>
  inTransaction(deps, async (tx) => {
    await revokeGrants(tx, workspaceId, userId, clientId)
    const end = { reason: 'app_disconnected', at: tx.clock.now() } as const
    return { subscriptions: await endEventsOfConnection(tx, workspaceId, { userId, clientId }, end) }
  })
