import type { Deps } from '../../deps.ts'
import { createIdToken, type IdTokenKind, readIdToken } from './id-tokens.ts'
import { getOrCreateServerSecret } from './secret-keys.ts'
import { randomToken } from './tokens.ts'

/** The purpose is empty, because existing attempt tokens are from a time when there was only one kind of token. */
const attemptToken: IdTokenKind = { prefix: 'oat_', purpose: '' }

/** Returns the token of an attempt. A process that takes over the attempt gets the same token. */
export const createAttemptToken = (key: Buffer, attemptId: string): string =>
  createIdToken(attemptToken, key, attemptId)

/** Returns the ID of the attempt that a token belongs to, or undefined if the token wasn't created with the key. */
export const readAttemptToken = (key: Buffer, token: string): string | undefined =>
  readIdToken(attemptToken, key, token)

const keyName = 'attempt_token_key'

/**
 * Loads this installation's key for the tokens of attempts and conversations, or creates it. Every process gets the same
 * key.
 */
export async function loadAttemptTokenKey(deps: Pick<Deps, 'db' | 'secretBox'>): Promise<Buffer> {
  const place = ['server_secret.value', keyName] as const
  const created = deps.secretBox.seal(randomToken(), place)
  return Buffer.from(deps.secretBox.open(await getOrCreateServerSecret(deps.db, keyName, created), place))
}
