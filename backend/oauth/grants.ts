import type { Scope } from '@outdial/contract'
import type { Provider } from 'oidc-provider'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/tokens.ts'
import { removeSubscriptions } from '../webhooks/subscriptions.ts'
import { bindGrant, findConnection, hasGrant, revokeGrant } from './oauth-store.ts'

/**
 * Makes the grant of one authorization, bound to one workspace, and answers its id. Submitted twice, the same
 * grant: its id follows from the authorization and the workspace. It is no credential, and nobody sees it.
 */
export async function createGrant(
  deps: Pick<Deps, 'db' | 'clock'>,
  provider: Provider,
  authorization: { uid: string; clientId: string; scopes: Scope[] },
  userId: number,
  workspaceId: number,
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
export async function endConnection(deps: Pick<Deps, 'db'>, grantHash: Buffer): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const connection = await findConnection(tx, grantHash)
    await revokeGrant(tx, grantHash)
    if (!connection || (await hasGrant(tx, connection.workspaceId, connection))) return
    await removeSubscriptions(tx, connection)
  })
}
