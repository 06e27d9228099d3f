import type { Scope } from '@outdial/contract'
import type { Provider } from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { endEventsOfConnection } from '../../webhooks/subscriptions.ts'
import { lockMember } from '../identity/members.ts'
import type { Session } from '../identity/sessions.ts'
import { requireSession } from '../sign-in/browser-auth.ts'
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
 * Creates the grant of an authorization, bound to one workspace, and returns its ID. The ID is derived from the
 * authorization and the workspace, so that submitting the form twice creates one grant. The ID isn't a credential, and
 * is never shown. Returns undefined if the user isn't a member of the workspace.
 *
 * @throws {PageError} 403 if the session has ended
 */
export async function createGrant(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  provider: Provider,
  workspaceId: number,
  session: Session,
  authorization: { uid: string; clientId: string; scopes: Scope[] },
) {
  const { userId } = session.user
  const grant = new provider.Grant({ accountId: String(userId), clientId: authorization.clientId })
  grant.jti = hashToken(`grant:${workspaceId}:${authorization.uid}`).toString('base64url')
  grant.addOIDCScope(authorization.scopes.join(' '))
  const grantHash = hashToken(grant.jti)
  const isBound = await inTransaction(deps, async (tx) => {
    await requireSession(tx, session)
    if (!(await lockMember(tx, workspaceId, userId))) return false
    const { clientId } = authorization
    await bindGrant(tx.db, workspaceId, { grantHash, userId, clientId, now: tx.clock.now() })
    return true
  })
  return isBound ? grant.save() : undefined
}

/**
 * Ends a grant that its app revoked (RFC 7009). If it was the app's last grant for the user in the workspace, this also
 * removes the webhook subscriptions, because an app that can't read calls must not receive them.
 */
export const endConnection = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  grantHash: Buffer,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const connection = await findConnection(tx.db, grantHash)
    await revokeGrant(tx.db, grantHash)
    if (!connection || (await hasGrant(tx.db, connection.workspaceId, connection))) return
    const end = { reason: 'app_disconnected', at: tx.clock.now() } as const
    await endEventsOfConnection(tx, connection.workspaceId, connection, end)
  })

/**
 * Ends a user's grants in a workspace and their tokens; with `clientId`, only those of that app. Doesn't remove webhook
 * subscriptions: see access/.
 */
export const revokeGrants = (
  tx: Pick<Deps, 'db'>,
  workspaceId: number,
  userId: number,
  clientId?: string,
): Promise<void> => deleteGrants(tx.db, workspaceId, userId, clientId)

/** Records when an app last acted for a user in a workspace, for the list of connected apps. */
export const recordGrantUse = (
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  userId: number,
  clientId: string,
  now: Date,
): Promise<void> => updateGrantsLastUsed(deps.db, workspaceId, { userId, clientId, now })

/**
 * Ends connections created before `before` that have no token: no code was exchanged, or a public app didn't use its
 * refresh token in time.
 */
export async function deleteUnusedGrants(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  before: Date,
): Promise<void> {
  for (const grantHash of await selectUnusedGrants(deps.db, before)) await endConnection(deps, grantHash)
}

/**
 * How long a grant can be without tokens. Much longer than its code is valid, so the code can't be exchanged anymore.
 */
const unusedGrantTtlMs = dayMs

/** Deletes expired authorizations, codes, and refresh tokens. The index on the expiration time makes this cheap. */
export async function deleteExpiredOauthState(deps: Pick<Deps, 'db'>, now: Date): Promise<void> {
  await deleteExpiredPayloads(deps.db, now)
}

/** Ends connections that have no token anymore. Expired credentials must be deleted first. */
export async function endExpiredConnections(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  now: Date,
): Promise<void> {
  await deleteExpiredOauthState(deps, now)
  await deleteUnusedGrants(deps, new Date(now.getTime() - unusedGrantTtlMs))
}
