import { Scope } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { hashToken, randomToken } from '../../platform/secrets/tokens.ts'
import {
  countLiveApiKeys,
  insertApiKey,
  revokeApiKeyCredential,
  updateApiKeyLastUsed,
} from './credential-store.ts'
import { lockMember } from './members.ts'

/**
 * Creates a personal API key with every scope. Only its SHA-256 is stored, so the key can't be shown again.
 *
 * @throws {ApiError} not_found if the user isn't a member of the workspace, validation_failed if they have too many keys
 */
export const createApiKey = (
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'notify'>,
  workspaceId: number,
  userId: number,
  name: string,
): Promise<{ id: number; key: string }> =>
  inTransaction(deps, async (tx) => {
    if (!(await lockMember(tx, workspaceId, userId)))
      throw new FormError('not_found', "This user isn't a member of this workspace.")
    const max = tx.config.maxApiKeysPerMember
    if ((await countLiveApiKeys(tx.db, workspaceId, userId)) >= max) {
      const message = `You can have at most ${max} API keys in a workspace. Revoke one that you don't use.`
      throw new FormError('validation_failed', message)
    }

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
 * Ends an API key immediately. Doesn't remove its webhook subscriptions: see accounts/access/revoke-connection.ts.
 *
 * @throws {ApiError} not_found if the workspace has no such key, or the key is already revoked
 */
export async function endApiKey(
  tx: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  apiKeyId: number,
): Promise<void> {
  const isRevoked = await revokeApiKeyCredential(tx.db, workspaceId, apiKeyId, tx.clock.now())
  if (!isRevoked) throw new FormError('not_found', 'API key not found.')
}

/** Records when a key was last used, for the list of keys. */
export const recordApiKeyUse = (deps: Pick<Deps, 'db'>, apiKeyId: number, now: Date): Promise<void> =>
  updateApiKeyLastUsed(deps.db, apiKeyId, now)
