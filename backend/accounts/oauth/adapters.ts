import { oauthErrorTexts, Scope } from '@outdial/contract'
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { dayMs, secondMs } from '../../platform/core/durations.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import {
  consumePayload,
  deleteAccessToken,
  deletePayload,
  findAccessToken,
  findGrantOfPayload,
  findPayload,
  insertAccessToken,
  type StoredPayload,
  upsertPayload,
} from './adapter-store.ts'
import { endConnection } from './grants.ts'
import { findClient, revokeGrant } from './oauth-store.ts'

/** Creates the adapter through which oidc-provider stores one of its models. */
export function createAdapter(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'secretBox'>,
  model: string,
): Adapter {
  switch (model) {
    case 'Client':
      return clientAdapter(deps)
    case 'AccessToken':
      return accessTokenAdapter(deps)
    case 'Grant':
      return grantAdapter(deps)
    case 'AuthorizationCode':
    case 'Interaction':
    case 'RefreshToken':
      return payloadAdapter(deps, model)
    default:
      // Other models aren't stored. The library's Session isn't needed: Outdial's sign-in session identifies the user.
      return noopAdapter
  }
}

/** How long a used code or rotated token is stored, so that a second use is detected. */
const replayTtlSeconds = (90 * dayMs) / secondMs

/** How a model differs from the other models that `payloadAdapter` stores. */
interface PayloadRules {
  grantIdOf?: (id: string, payload: AdapterPayload) => string | undefined
}

/** Stores codes, refresh tokens, grants, and interactions by the hash of their ID. The ID itself isn't stored. */
const payloadAdapter = (
  deps: Pick<Deps, 'db' | 'clock'>,
  model: 'AuthorizationCode' | 'RefreshToken' | 'Grant' | 'Interaction',
  { grantIdOf = (_id, payload) => payload.grantId }: PayloadRules = {},
): Adapter => {
  const { db, clock } = deps
  const key = (id: string) => ({ model, idHash: hashToken(id) })

  return {
    ...noopAdapter,
    upsert: async (id, payload, expiresIn = untilRevokedSeconds) => {
      const grantId = grantIdOf(id, payload)
      const json = JSON.stringify(withoutId(id, payload))
      // PostgreSQL's JSON can't contain NUL. Parameters with it are invalid (RFC 6749, appendix A).
      if (json.includes('\\u0000')) throw new errors.InvalidRequest(oauthErrorTexts.invalid_request.meaning)
      const isSaved = await upsertPayload(db, {
        ...key(id),
        payload: json,
        grantHash: grantId === undefined ? null : hashToken(grantId),
        // `expiresIn` can be less than `untilRevokedSeconds`: when the library saves a grant again, it passes the remaining
        // seconds.
        expiresAt: expiresIn > untilRevokedSeconds / 2 ? null : secondsFromNow(clock, expiresIn),
      })
      if (!isSaved) throw new errors.InvalidGrant('grant was revoked')
    },
    find: async (id) => {
      const stored = await findPayload(db, key(id), clock.now())
      return stored && withId(id, stored, clock)
    },
    consume: async (id) => {
      const at = { now: clock.now(), keepUntil: secondsFromNow(clock, replayTtlSeconds) }
      if (await consumePayload(db, key(id), at)) return
      // Another request consumed the payload after the library's check, so this is a replay, too.
      const grantHash = await findGrantOfPayload(db, key(id))
      if (grantHash) await revokeGrant(db, grantHash)
      throw new errors.InvalidGrant('already used')
    },
    destroy: async (id) => {
      await deletePayload(db, key(id))
    },
  }
}

const grantAdapter = (deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>): Adapter => ({
  ...payloadAdapter(deps, 'Grant', { grantIdOf: (id) => id }),
  destroy: async (id) => {
    // The library also destroys a grant if a code or token is replayed. The webhook subscriptions then stay, so that the user
    // still has them after reconnecting.
    const isRevokedByApp = Provider.ctx?.oidc.route === 'revocation'
    await (isRevokedByApp ? endConnection(deps, hashToken(id)) : revokeGrant(deps.db, hashToken(id)))
  },
})

/** Removes the ID from a payload, also at the end of an interaction's `returnTo` URL. */
function withoutId(id: string, payload: AdapterPayload): object {
  const stored = { ...payload }
  delete stored.jti
  delete stored.exp // stored in its own column, on the service's clock
  if (stored.returnTo?.endsWith(id)) stored.returnTo = stored.returnTo.slice(0, -id.length)
  return stored
}

function withId(id: string, stored: StoredPayload, clock: Clock): AdapterPayload {
  const { payload, expiresAt, consumedAt } = stored
  return {
    ...payload,
    jti: id,
    exp: toLibraryTime(clock, expiresAt ?? secondsFromNow(clock, untilRevokedSeconds)),
    ...(typeof payload.returnTo === 'string' && { returnTo: payload.returnTo + id }),
    ...(consumedAt && { consumed: toLibraryTime(clock, consumedAt) }),
  }
}

/**
 * Converts a time on the service's clock to seconds on the library's clock. oidc-provider reads `Date.now()`, so this
 * adds the remaining time to it.
 */
const toLibraryTime = (clock: Clock, at: Date): number =>
  Math.floor(Date.now() / secondMs) + Math.ceil((at.getTime() - clock.now().getTime()) / secondMs)

/** Returns the time `seconds` from now, on the service's clock. */
const secondsFromNow = (clock: Clock, seconds: number): Date =>
  new Date(clock.now().getTime() + seconds * secondMs)

/** The lifetime of models that last until they're revoked: 100 years, because the library needs one. It isn't stored. */
export const untilRevokedSeconds = (100 * 365 * dayMs) / secondMs

/** Reads apps from their table at each request, so that a new app or secret doesn't need a restart. */
const clientAdapter = ({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>): Adapter => ({
  ...noopAdapter,
  find: async (id) => {
    // PostgreSQL rejects NUL in text, so no client has such an ID.
    const client = id.includes('\0') ? undefined : await findClient(db, id)
    if (!client) return undefined
    return {
      client_id: client.id,
      client_name: client.name,
      ...(client.secret !== null && {
        client_secret: secretBox.open(client.secret, ['oauth_client.secret', id]),
      }),
      token_endpoint_auth_method: client.secret === null ? 'none' : 'client_secret_basic',
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // `fragment` is only for errors: an app that requests a token in the response, which is rejected, reads the fragment.
      response_modes: ['query', 'fragment'],
      // Redirect URIs must match exactly. `native` would accept any loopback port.
      application_type: 'web',
      scope: Scope.options.join(' '),
    }
  },
})

const Scopes = z.array(Scope)

/** Stores access tokens only in the `credential` table, which the API authenticates requests with. */
const accessTokenAdapter = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Adapter => ({
  ...noopAdapter,
  upsert: async (id, payload, expiresIn) => {
    const { grantId, scope } = payload
    if (grantId === undefined || expiresIn === undefined)
      throw new Error('invariant: access token has no grant or no lifetime')
    const isInserted = await insertAccessToken(db, {
      tokenHash: hashToken(id),
      grantHash: hashToken(grantId),
      scopes: Scopes.parse(scope ? scope.split(' ') : []),
      expiresAt: secondsFromNow(clock, expiresIn),
    })
    if (!isInserted) throw new errors.InvalidGrant('grant was revoked')
  },
  // Returns no `grantId`, so that revoking an access token (RFC 7009) doesn't end the connection.
  find: async (id) => {
    const token = await findAccessToken(db, hashToken(id), clock.now())
    if (!token?.clientId || !token.expiresAt) return undefined
    return {
      jti: id,
      kind: 'AccessToken',
      format: 'opaque',
      clientId: token.clientId,
      accountId: String(token.userId),
      scope: token.scopes.join(' '),
      exp: toLibraryTime(clock, token.expiresAt),
    }
  },
  destroy: async (id) => {
    await deleteAccessToken(db, hashToken(id))
  },
})

/** Stores and finds nothing. The other adapters override its methods. */
const noopAdapter: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  // Does nothing, because the library also calls `Grant.destroy`, which deletes everything that belongs to the grant.
  revokeByGrantId: async () => undefined,
}
