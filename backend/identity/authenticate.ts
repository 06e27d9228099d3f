import type { ErrorCode } from '@outdial/contract'
import type { Caller } from '../core/caller.ts'
import { ApiError } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/tokens.ts'
import { findCredential } from './credential-store.ts'

const realm = 'Bearer realm="Outdial"'

/** 401 with the challenge that RFC 6750, section 3, asks for. */
function unauthorizedError(code: ErrorCode, message: string): ApiError {
  const challenge =
    code === 'missing_credential'
      ? realm
      : `${realm}, error="invalid_token", error_description="${message.replaceAll('"', "'")}"`
  return new ApiError(code, message, { headers: { 'WWW-Authenticate': challenge } })
}

/**
 * Tells who acts, from an `Authorization` header (RFC 6750, section 2.1). API keys and OAuth2 tokens
 * are alike: one row by the SHA-256 of what was sent.
 *
 * @throws {ApiError} missing_credential, invalid_credential, expired_credential
 */
export async function authenticate(
  deps: Pick<Deps, 'db' | 'clock'>,
  header: string | undefined,
): Promise<Caller> {
  const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  if (token === undefined) {
    throw unauthorizedError(
      'missing_credential',
      'The request has no API key or access token. Send it in the header "Authorization: Bearer …".',
    )
  }
  const credential = await findCredential(deps.db, hashToken(token))
  if (credential === undefined) {
    throw unauthorizedError(
      'invalid_credential',
      'This API key or access token is unknown or was revoked. Reconnect your account, or use another API key.',
    )
  }
  const { expiresAt, ...caller } = credential
  if (expiresAt !== null && expiresAt <= deps.clock.now()) {
    throw unauthorizedError(
      'expired_credential',
      'This access token has expired. Refresh it, or reconnect your account.',
    )
  }
  return caller
}
