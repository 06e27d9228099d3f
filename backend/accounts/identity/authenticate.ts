import { type ErrorCode, errorTexts, toErrorMessage } from '@outdial/contract'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { share } from '../../platform/core/share.ts'
import type { Db } from '../../platform/db/schema.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { type Credential, findCredentials } from './credential-store.ts'

const realm = 'Bearer realm="Outdial"'

/** Returns a 401 error with the challenge that RFC 6750, section 3, requires. */
function unauthorizedError(code: ErrorCode): ApiError {
  const message = toErrorMessage(errorTexts[code])
  const challenge =
    code === 'missing_credential'
      ? realm
      : `${realm}, error="invalid_token", error_description="${message.replaceAll('"', "'")}"`
  return new ApiError(code, { headers: { 'WWW-Authenticate': challenge } })
}

/** An authenticated caller, and the SHA-256 of the caller's credential. */
export interface Authenticated {
  caller: Caller
  tokenHash: Buffer
}

interface Authenticator {
  /**
   * Returns the caller that an `Authorization` header identifies (RFC 6750, section 2.1). API keys and OAuth access
   * tokens are looked up the same way, by their SHA-256.
   *
   * @throws {ApiError} missing_credential, invalid_credential, expired_credential
   */
  authenticate: (header: string | undefined) => Promise<Authenticated>
  /**
   * Returns the caller of a credential that was looked up in the last 10 seconds. The credential may have been revoked
   * since then, so check it again before you do anything for the caller, or return anything to them.
   */
  recall: (header: string | undefined) => Authenticated | undefined
  /**
   * Looks up a credential again, by its SHA-256, because it may have been revoked since the request was authenticated.
   * `tx` is the transaction that acts for the caller.
   *
   * @throws {ApiError} invalid_credential, expired_credential
   */
  confirm: (tokenHash: Buffer, tx?: Db) => Promise<Authenticated>
}

/** How long a credential is remembered after it was looked up. */
const rememberedMs = 10 * secondMs

export function createAuthenticator({ db, clock }: Pick<Deps, 'db' | 'clock'>): Authenticator {
  const remembered = new LRUCache<string, { caller: Caller; expiresAt: number }>({ max: 10_000 })
  // Each request looks up its credential. Concurrent requests share a statement.
  const find = share<Buffer, Credential | undefined>(
    (_groupId, tokenHashes) => findCredentials(db, tokenHashes),
    { maxSize: 200, maxRunning: 2, maxRunningPerGroup: 2, gatherMs: 0 },
  )

  const lookUp = async (tokenHash: Buffer, tx?: Db): Promise<Authenticated> => {
    const key = tokenHash.toString('base64')
    remembered.delete(key)
    const credential = tx ? (await findCredentials(tx, [tokenHash]))[0] : await find(0, tokenHash)
    const now = clock.now()
    if (!isValid(credential, now)) throw invalidError(credential)
    const { expiresAt, ...caller } = credential
    const until = now.getTime() + rememberedMs
    remembered.set(key, { caller, expiresAt: Math.min(until, expiresAt?.getTime() ?? until) })
    return { caller, tokenHash }
  }

  return {
    authenticate: async (header) => {
      const token = readToken(header)
      if (token === undefined) throw unauthorizedError('missing_credential')
      return lookUp(hashToken(token))
    },
    confirm: lookUp,
    recall: (header) => {
      const token = readToken(header)
      if (token === undefined) return undefined
      const tokenHash = hashToken(token)
      const found = remembered.get(tokenHash.toString('base64'))
      if (found === undefined || found.expiresAt <= clock.now().getTime()) return undefined
      return { caller: found.caller, tokenHash }
    },
  }
}

/**
 * Looks up credentials, by their SHA-256, in the transaction that acts for their callers. Returns a list in the same order: an
 * error for each credential that was revoked or has expired, and null for the others.
 */
export async function findCredentialErrors(
  tx: Db,
  tokenHashes: readonly Buffer[],
  now: Date,
): Promise<(ApiError | null)[]> {
  if (tokenHashes.length === 0) return []
  const credentials = await findCredentials(tx, tokenHashes)
  return credentials.map((credential) => (isValid(credential, now) ? null : invalidError(credential)))
}

const isValid = (credential: Credential | undefined, now: Date): credential is Credential =>
  credential !== undefined && (credential.expiresAt === null || credential.expiresAt > now)

const invalidError = (credential: Credential | undefined): ApiError =>
  unauthorizedError(credential === undefined ? 'invalid_credential' : 'expired_credential')

const readToken = (header: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
