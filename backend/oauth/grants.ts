import type { Scope } from '@outdial/contract'
import type { Provider } from 'oidc-provider'
import { dayMs } from '../core/durations.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/tokens.ts'
import { removeSubscriptions } from '../webhooks/subscriptions.ts'
import { deleteExpiredPayloads } from './adapter-store.ts'
import {
  bindGrant,
  deleteGrants,
  findConnection,
  hasGrant,
  revokeGrant,
  selectUnusedGrants,
  updateGrantsLastUsed,
} from './oauth-store.ts'

/**
 * Makes the grant of one authorization, bound to one workspace, and answers its id. Submitted twice, the same
 * grant: its id follows from the authorization and the workspace. It is no credential, and nobody sees it.
 */
export async function createGrant(
  deps: Pick<Deps, 'db' | 'clock'>,
  provider: Provider,
  workspaceId: number,
  userId: number,
  authorization: { uid: string; clientId: string; scopes: Scope[] },
) {
  const grant = new provider.Grant({ accountId: String(userId), clientId: authorization.clientId })
  grant.jti = hashToken(`grant:${workspaceId}:${authorization.uid}`).toString('base64url')
  grant.addOIDCScope(authorization.scopes.join(' '))
  await bindGrant(deps.db, workspaceId, {
    grantHash: hashToken(grant.jti),
    userId,
    clientId: authorization.clientId,
    now: deps.clock.now(),
  })
  return grant.save()
}

/**
 * An app gives its access back (RFC 7009). With the last grant of a user, app and workspace its webhook
 * subscriptions go too: an app that may read no calls is told of none.
 */
export const endConnection = (deps: Pick<Deps, 'db' | 'notify'>, grantHash: Buffer): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const connection = await findConnection(tx.db, grantHash)
    await revokeGrant(tx.db, grantHash)
    if (!connection || (await hasGrant(tx.db, connection.workspaceId, connection))) return
    await removeSubscriptions(tx.db, connection.workspaceId, connection)
  })

/**
 * Ends a user's grants in a workspace with their tokens; with `clientId`, those of one app. Webhook
 * subscriptions are not ended here: see access/.
 */
export const revokeGrants = (
  tx: Pick<Deps, 'db'>,
  workspaceId: number,
  userId: number,
  clientId?: string,
): Promise<void> => deleteGrants(tx.db, workspaceId, userId, clientId)

/** Records, for the list of connected apps, when an app last acted for a user in a workspace. */
export const recordGrantUse = (
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  userId: number,
  clientId: string,
  now: Date,
): Promise<void> => updateGrantsLastUsed(deps.db, workspaceId, { userId, clientId, now })

/** Ends the grants made before `before` from which no token came, or whose tokens are all gone. */
export async function deleteUnusedGrants(deps: Pick<Deps, 'db'>, before: Date): Promise<void> {
  for (const grantHash of await selectUnusedGrants(deps.db, before)) await revokeGrant(deps.db, grantHash)
}

/** Far longer than a code is valid: a grant without tokens is then one whose code was never exchanged. */
const unusedGrantTtlMs = dayMs

/** Deletes expired state of oidc-provider and grants that have no token. Expired credentials must be deleted first. */
export async function deleteExpiredAuthorizations(deps: Pick<Deps, 'db'>, now: Date): Promise<void> {
  await deleteExpiredPayloads(deps.db, now)
  await deleteUnusedGrants(deps, new Date(now.getTime() - unusedGrantTtlMs))
}
