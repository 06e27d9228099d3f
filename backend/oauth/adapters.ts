import { Scope } from '@outdial/contract'
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import * as z from 'zod'
import type { Clock } from '../core/clock.ts'
import { dayMs, secondMs } from '../core/durations.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/tokens.ts'
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
  deps: Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox'>,
  model: string,
): Adapter {
  switch (model) {
    case 'Client':
      return clientAdapter(deps)
    case 'AccessToken':
      return accessTokenAdapter(deps)
    case 'Grant':
      return grantAdapter(deps)
    case 'RefreshToken':
      return payloadAdapter(deps, model, { expires: false })
    case 'AuthorizationCode':
    case 'Interaction':
      return payloadAdapter(deps, model)
    default:
      // The library's own Session, too: our sign-in session says who is signed in, at each authorization.
      return noopAdapter
  }
}

/** A code or rotated token is remembered so long after its use, so that a second use is noticed. */
const replayTtlSeconds = (90 * dayMs) / secondMs

/** How a model differs from the others that are stored as payloads. */
interface PayloadRules {
  /** False for grants and refresh tokens. They last until revoked, so that a connection doesn't expire on its own. */
  expires?: boolean
  grantIdOf?: (id: string, payload: AdapterPayload) => string | undefined
}

/** Stores codes, refresh tokens, grants, and interactions by the hash of their ID. The ID itself isn't stored. */
const payloadAdapter = (
  deps: Pick<Deps, 'db' | 'clock'>,
  model: 'AuthorizationCode' | 'RefreshToken' | 'Grant' | 'Interaction',
  { expires = true, grantIdOf = (_id, payload) => payload.grantId }: PayloadRules = {},
): Adapter => {
  const { db, clock } = deps
  const key = (id: string) => ({ model, idHash: hashToken(id) })

  return {
    ...noopAdapter,
    upsert: async (id, payload, expiresIn = untilRevokedSeconds) => {
      const grantId = grantIdOf(id, payload)
      const json = JSON.stringify(withoutId(id, payload))
      // RFC 6749, appendix A: parameters are printable. PostgreSQL's JSON has no NUL.
      if (json.includes('\\u0000')) throw new errors.InvalidRequest('a parameter has a NUL character')
      const isSaved = await upsertPayload(db, {
        ...key(id),
        payload: json,
        grantHash: grantId === undefined ? null : hashToken(grantId),
        expiresAt: expires ? secondsFromNow(clock, expiresIn) : null,
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
      // The library looked before another request consumed it: that is a replay too.
      const grantHash = await findGrantOfPayload(db, key(id))
      if (grantHash) await revokeGrant(db, grantHash)
      throw new errors.InvalidGrant('already used')
    },
    destroy: async (id) => {
      await deletePayload(db, key(id))
    },
  }
}

const grantAdapter = (deps: Pick<Deps, 'db' | 'clock' | 'notify'>): Adapter => ({
  ...payloadAdapter(deps, 'Grant', { expires: false, grantIdOf: (id) => id }),
  destroy: async (id) => {
    // After a replayed code or token the subscriptions stay: the user connects again and finds them.
    const isRevokedByApp = Provider.ctx?.oidc.route === 'revocation'
    await (isRevokedByApp ? endConnection(deps, hashToken(id)) : revokeGrant(deps.db, hashToken(id)))
  },
})

/** An interaction's way back ends in its id, so that is cut off as well. */
function withoutId(id: string, payload: AdapterPayload): object {
  const stored = { ...payload }
  delete stored.jti
  delete stored.exp // the column's, as the library's clock is not ours
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
 * oidc-provider reads `Date.now()`, the service its clock. So the columns hold the clock's time, and what
 * the library is told is how long something still lasts, counted from its own now.
 */
const toLibraryTime = (clock: Clock, at: Date): number =>
  Math.floor(Date.now() / secondMs) + Math.ceil((at.getTime() - clock.now().getTime()) / secondMs)

/** `seconds` from now, on the service's clock. */
const secondsFromNow = (clock: Clock, seconds: number): Date =>
  new Date(clock.now().getTime() + seconds * secondMs)

/** The library wants a number for what lasts until it is revoked: a hundred years, which is never stored. */
export const untilRevokedSeconds = (100 * 365 * dayMs) / secondMs

/** Apps, read from their table at each request: a new one, or a new secret, needs no restart. */
const clientAdapter = ({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>): Adapter => ({
  ...noopAdapter,
  find: async (id) => {
    // PostgreSQL keeps no NUL in text, and so knows no such client.
    const client = id.includes('\0') ? undefined : await findClient(db, id)
    if (!client) return undefined
    return {
      client_id: client.id,
      client_name: client.name,
      ...(client.secret !== null && { client_secret: secretBox.open(client.secret) }),
      token_endpoint_auth_method: client.secret === null ? 'none' : 'client_secret_basic',
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      response_modes: ['query'],
      // Exact redirect match: `native` would let any loopback port through.
      application_type: 'web',
      scope: Scope.options.join(' '),
    }
  },
})

const Scopes = z.array(Scope)

/** Access tokens live in the one table that the API authenticates from, and nowhere else. */
const accessTokenAdapter = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Adapter => ({
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

/** Keeps nothing and finds nothing; adapters that keep something say what. */
const noopAdapter: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  // `Grant.destroy` takes everything of the grant with it, and the library always calls both.
  revokeByGrantId: async () => undefined,
}
