import { Scope } from '@outdial/contract'
import { type Adapter, errors } from 'oidc-provider'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { hashToken } from '../../secrets/secret-box.ts'
import { secondsFromNow, toLibraryTime } from '../time.ts'
import { noopAdapter } from './keeps-nothing.ts'
import { deleteAccessToken, findAccessToken, insertAccessToken } from '../adapter-store.ts'

const Scopes = z.array(Scope)

/** Access tokens live in the one table that the API authenticates from, and nowhere else. */
export const accessTokenAdapter = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Adapter => ({
  ...noopAdapter,
  upsert: async (id, payload, expiresIn) => {
    const { grantId, scope } = payload
    if (grantId === undefined || expiresIn === undefined) throw new Error('an access token without a grant')
    const isInserted = await insertAccessToken(db, {
      tokenHash: hashToken(id),
      grantHash: hashToken(grantId),
      scopes: Scopes.parse(scope ? scope.split(' ') : []),
      expiresAt: secondsFromNow(clock, expiresIn),
    })
    if (!isInserted) throw new errors.InvalidGrant('grant was revoked')
  },
  // Without `grantId`, so that revoking an access token (RFC 7009) leaves the connection alone.
  find: async (id) => {
    const token = await findAccessToken(db, hashToken(id), clock.now())
    if (!token?.client_id || !token.expires_at) return undefined
    return {
      jti: id,
      kind: 'AccessToken',
      format: 'opaque',
      clientId: token.client_id,
      accountId: String(token.user_id),
      scope: token.scopes.join(' '),
      exp: toLibraryTime(clock, token.expires_at),
    }
  },
  destroy: async (id) => {
    await deleteAccessToken(db, hashToken(id))
  },
})
