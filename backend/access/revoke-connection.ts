import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { removeSubscriptionsOf } from '../webhooks/subscription-store.ts'
import { endApiKey } from '../identity/credential-store.ts'

/**
 * Ends an API key at once, and with it its webhook subscriptions; answers how many those were.
 *
 * @throws {ApiError} not_found where the workspace has no such key, or it is revoked already
 */
export const revokeApiKey =
  (deps: Deps) =>
  (request: { workspaceId: number; apiKeyId: number }): Promise<{ subscriptions: number }> =>
    inTransaction(deps, async ({ db, clock }) => {
      const ended = await endApiKey(db, request.workspaceId, request.apiKeyId, clock.now())
      if (!ended) throw notFound('There is no such API key.')
      return { subscriptions: await removeSubscriptionsOf(db, { apiKeyId: request.apiKeyId }) }
    })
