import { type ErrorCode, errorTexts, toErrorMessage } from '@outdial/contract'
import type { Caller } from '../core/caller.ts'
import { ApiError } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/tokens.ts'
import { findCredential } from './credential-store.ts'

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

/**
 * Returns the caller that an `Authorization` header identifies (RFC 6750, section 2.1). API keys and OAuth access
 * tokens are looked up the same way, by their SHA-256.
 *
 * @throws {ApiError} missing_credential, invalid_credential, expired_credential
 */
export async function authenticate(
  deps: Pick<Deps, 'db' | 'clock'>,
  header: string | undefined,
): Promise<Caller> {
  const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  if (token === undefined) {
    throw unauthorizedError('missing_credential')
  }
  const credential = await findCredential(deps.db, hashToken(token))
  if (credential === undefined) {
    throw unauthorizedError('invalid_credential')
  }
  const { expiresAt, ...caller } = credential
  if (expiresAt !== null && expiresAt <= deps.clock.now()) {
    throw unauthorizedError('expired_credential')
  }
  return caller
}
