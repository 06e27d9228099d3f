import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { revokeApiKeyCredential } from '../identity/credential-store.ts'
import { revokeGrants } from '../oauth/oauth-store.ts'
import { removeSubscriptions } from '../webhooks/subscriptions.ts'

/**
 * Ends an API key at once, and with it its webhook subscriptions; answers how many those were.
 *
 * @throws {ApiError} not_found where the workspace has no such key, or it is revoked already
 */
export const revokeApiKey = (
  deps: Deps,
  request: { workspaceId: number; apiKeyId: number },
): Promise<{ subscriptions: number }> =>
  inTransaction(deps, async ({ db, clock }) => {
    const isRevoked = await revokeApiKeyCredential(db, request.workspaceId, request.apiKeyId, clock.now())
    if (!isRevoked) throw notFound('There is no such API key.')
    return { subscriptions: await removeSubscriptions(db, { apiKeyId: request.apiKeyId }) }
  })

/**
 * Ends all that an app may do for a user in a workspace: grants, tokens, webhook subscriptions. Answers how many of
 * the last there were.
 */
export const disconnectApp = (
  deps: Deps,
  input: { workspaceId: number; userId: number; clientId: string },
): Promise<{ subscriptions: number }> =>
  inTransaction(deps, async ({ db }) => {
    const { workspaceId, userId, clientId } = input
    await revokeGrants(db, workspaceId, { userId, clientId })
    return { subscriptions: await removeSubscriptions(db, { workspaceId, userId, clientId }) }
  })
