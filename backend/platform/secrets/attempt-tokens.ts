import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { getOrCreateServerSecret } from './secret-keys.ts'
import { randomToken } from './tokens.ts'

export const attemptTokenPrefix = 'oat_'

const idBytes = 16
const macBytes = 32

/**
 * Returns the token of an attempt: its ID and an HMAC of the ID. The same attempt always gets the same token, so
 * another process that continues the attempt needs nothing but the key, and the database stores no token.
 */
export function createAttemptToken(key: Buffer, attemptId: string): string {
  const id = Buffer.from(attemptId.replaceAll('-', ''), 'hex')
  return attemptTokenPrefix + Buffer.concat([id, computeMac(key, id)]).toString('base64url')
}

/** Returns the ID of the attempt that a token belongs to. Undefined if the key didn't create the token. */
export function readAttemptToken(key: Buffer, token: string): string | undefined {
  const bytes = Buffer.from(token.slice(attemptTokenPrefix.length), 'base64url')
  if (!token.startsWith(attemptTokenPrefix) || bytes.length !== idBytes + macBytes) return undefined
  const id = bytes.subarray(0, idBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes), computeMac(key, id))) return undefined
  // Decoding ignores some characters, so a token would have other spellings.
  if (attemptTokenPrefix + bytes.toString('base64url') !== token) return undefined
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const computeMac = (key: Buffer, id: Buffer): Buffer => createHmac('sha256', key).update(id).digest()

const keyName = 'attempt_token_key'

/** Loads this installation's key for attempt tokens, or creates it. Every process gets the same key. */
export async function loadAttemptTokenKey(deps: Pick<Deps, 'db' | 'secretBox'>): Promise<Buffer> {
  const place = ['server_secret.value', keyName] as const
  const created = deps.secretBox.seal(randomToken(), place)
  return Buffer.from(deps.secretBox.open(await getOrCreateServerSecret(deps.db, keyName, created), place))
}
