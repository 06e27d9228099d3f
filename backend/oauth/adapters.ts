import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { Clock } from '../core/clock.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/secret-box.ts'
import { endConnection } from './end-connection.ts'
import { revokeGrant } from './oauth-store.ts'
import { secondsFromNow, toLibraryTime, untilRevokedSeconds } from './time.ts'
import { noopAdapter } from './adapters/keeps-nothing.ts'
import {
  consumePayload,
  deletePayload,
  findPayload,
  findGrantOfPayload,
  upsertPayload,
  type StoredPayload,
} from './adapter-store.ts'

/** They last until they are revoked: a connection that nobody cuts does not die by itself. */
const modelsWithoutExpiry = new Set(['Grant', 'RefreshToken'])

/** A code or rotated token is remembered so long after its use, so that a second use is noticed. */
const replayTtlSeconds = 90 * 24 * 60 * 60

/** Codes, refresh tokens, grants and interactions: found by the hash of their id, which itself is not kept. */
export const payloadAdapter = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  model: 'AuthorizationCode' | 'RefreshToken' | 'Grant' | 'Interaction',
): Adapter => {
  const key = (id: string) => ({ model, idHash: hashToken(id) })

  return {
    ...noopAdapter,
    upsert: async (id, payload, expiresIn = untilRevokedSeconds) => {
      const grantId = model === 'Grant' ? id : payload.grantId
      const json = JSON.stringify(withoutId(id, payload))
      // RFC 6749, appendix A: parameters are printable. PostgreSQL's JSON has no NUL.
      if (json.includes('\\u0000')) throw new errors.InvalidRequest('a parameter has a NUL character')
      const isSaved = await upsertPayload(db, {
        ...key(id),
        payload: json,
        grantHash: grantId === undefined ? null : hashToken(grantId),
        expiresAt: modelsWithoutExpiry.has(model) ? null : secondsFromNow(clock, expiresIn),
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
      if (model !== 'Grant') return void (await deletePayload(db, key(id)))
      // On a replayed code or token the subscriptions stay: its user connects again, and finds them.
      const isRevokedByApp = Provider.ctx?.oidc.route === 'revocation'
      await (isRevokedByApp ? endConnection({ db })(key(id).idHash) : revokeGrant(db, key(id).idHash))
    },
  }
}

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
