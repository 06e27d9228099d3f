import type { ErrorCode } from '@outdial/contract'
import { LRUCache } from 'lru-cache'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { minuteMs } from '../core/durations.ts'
import { ApiError } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../secrets/tokens.ts'
import {
  type CredentialRow,
  findCredential,
  updateApiKeyLastUsed,
  updateGrantsLastUsed,
} from './credential-store.ts'

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
      'This request carries no credential: send your API key or access token as "Authorization: Bearer …".',
    )
  }
  const row = await findCredential(deps.db, hashToken(token))
  if (row === undefined) {
    throw unauthorizedError(
      'invalid_credential',
      'This API key or access token is unknown or was revoked: connect your account again.',
    )
  }
  if (row.expires_at !== null && row.expires_at <= deps.clock.now()) {
    throw unauthorizedError('expired_credential', 'This access token has expired: refresh the connection.')
  }
  return toCaller(row)
}

const toCaller = (row: CredentialRow): Caller => ({
  workspaceId: row.workspace_id,
  userId: row.user_id,
  apiKeyId: row.api_key_id,
  clientId: row.client_id,
  scopes: row.scopes,
})

/** How precisely the last use of a connection is recorded. */
const lastUsedIntervalMs = minuteMs

/**
 * Records, for the lists of API keys and connected apps, when a connection was last used: at most once a minute, and
 * without keeping the request waiting. A failed write is made up for by a later one.
 *
 * @param options.maxConnections how many connections are remembered; one that was forgotten is only recorded again
 */
export function createLastUsedRecorder(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  { maxConnections = 20_000 }: { maxConnections?: number } = {},
) {
  const { db, clock, log } = deps
  const recordedAt = new LRUCache<string, number>({ max: maxConnections })

  const record = async ({ workspaceId, userId, apiKeyId, clientId }: Caller, now: Date) => {
    if (apiKeyId !== null) await updateApiKeyLastUsed(db, apiKeyId, now)
    if (clientId !== null) await updateGrantsLastUsed(db, workspaceId, { userId, clientId, now })
  }

  return (caller: Caller): void => {
    const connection = getConnectionKey(caller)
    const now = clock.now()
    const previous = recordedAt.get(connection)
    if (previous !== undefined && now.getTime() - previous < lastUsedIntervalMs) return
    recordedAt.set(connection, now.getTime())
    record(caller, now).catch(() => {
      recordedAt.delete(connection)
      log.debug({ connection }, 'last use not noted')
    })
  }
}
