import { Scope } from '@outdial/contract'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { hashToken, randomToken } from '../secrets/tokens.ts'
import { insertApiKey, revokeApiKeyCredential, updateApiKeyLastUsed } from './credential-store.ts'
import { lockMembership } from './member-store.ts'

/**
 * Makes a personal API key with every scope. The key is in this response and nowhere else: only its SHA-256
 * is kept.
 *
 * @throws {ApiError} not_found where the user is no member of the workspace
 */
export const createApiKey = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  userId: number,
  name: string,
): Promise<{ id: number; key: string }> =>
  inTransaction(deps, async (tx) => {
    if (!(await lockMembership(tx.db, workspaceId, userId))) throw notFound('There is no such member.')

    const key = `odk_${randomToken()}`
    const id = await insertApiKey(tx.db, workspaceId, {
      userId,
      name,
      prefix: key.slice(0, 8),
      tokenHash: hashToken(key),
      scopes: [...Scope.options],
      now: tx.clock.now(),
    })
    return { id, key }
  })

/**
 * Ends an API key at once. Its webhook subscriptions are not ended here: see access/revoke-connection.ts.
 *
 * @throws {ApiError} not_found where the workspace has no such key, or it is revoked already
 */
export async function endApiKey(
  tx: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  apiKeyId: number,
): Promise<void> {
  const isRevoked = await revokeApiKeyCredential(tx.db, workspaceId, apiKeyId, tx.clock.now())
  if (!isRevoked) throw notFound('API key not found.')
}

/** Records, for the list of keys, when a key was last used. */
export const recordApiKeyUse = (deps: Pick<Deps, 'db'>, apiKeyId: number, now: Date): Promise<void> =>
  updateApiKeyLastUsed(deps.db, apiKeyId, now)
