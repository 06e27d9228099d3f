import { Scope } from '@outdial/contract'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { hashToken, randomToken } from '../secrets/tokens.ts'
import { insertApiKey } from './credential-store.ts'
import { lockMembership } from './member-store.ts'

/**
 * Makes a personal API key with every scope. The key is in this answer and nowhere else: only its
 * SHA-256 is kept.
 *
 * @throws {ApiError} not_found where the user is no member of the workspace
 */
export const createApiKey = (
  deps: Deps,
  request: { workspaceId: number; userId: number; name: string },
): Promise<{ id: number; key: string }> =>
  inTransaction(deps, async ({ db, clock }) => {
    const { workspaceId, userId, name } = request
    if (!(await lockMembership(db, workspaceId, userId))) throw notFound('There is no such member.')

    const key = `odk_${randomToken()}`
    const id = await insertApiKey(db, workspaceId, {
      userId,
      name,
      prefix: key.slice(0, 8),
      tokenHash: hashToken(key),
      scopes: [...Scope.options],
      now: clock.now(),
    })
    return { id, key }
  })
