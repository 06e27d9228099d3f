import type { Scope } from '@outdial/contract'
import type { Provider } from 'oidc-provider'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/secret-box.ts'
import { bindGrant } from './oauth-store.ts'

/**
 * Makes the grant of one authorization, bound to one workspace, and answers its id. Submitted twice, the same
 * grant: its id follows from the authorization and the workspace. It is no credential, and nobody sees it.
 */
export const createGrant =
  (deps: Pick<Deps, 'db' | 'clock'>, provider: Provider) =>
  async (
    authorization: { uid: string; clientId: string; scopes: Scope[] },
    userId: number,
    workspaceId: number,
  ) => {
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
