import { createHash } from 'node:crypto'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { ApiError, invalidField } from '../core/errors.ts'
import { canonicalJson } from '../core/text.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import type { RouteRequest, RouteResponse } from './define-route.ts'
import { findStoredResponse, storeResponse, tryLockScope } from './idempotency-store.ts'

const ttlMs = 24 * 60 * 60 * 1000

/** A request that may come again because its answer was lost. */
export interface IdempotentRequest {
  caller: Caller
  method: string
  /** Without a trailing slash. */
  path: string
  /** The header, as sent; without one the work is simply done. */
  key: string | undefined
  /** As validated, so that spellings of one body are one. */
  body: unknown
}

export interface IdempotentResponse {
  status: number
  body: unknown
  replayed: boolean
}

/**
 * Does `work` once for a connection, method, path and key in 24 hours, and answers the same again. The
 * answer is kept in the transaction of the work itself: neither exists without the other, and a refusal
 * keeps nothing.
 *
 * @throws {ApiError} idempotency_key_in_use, idempotency_key_reused, validation_failed
 */
export const respondOnce = (
  deps: Deps,
  request: IdempotentRequest,
  work: (deps: Deps) => Promise<{ status: number; body: unknown }>,
): Promise<IdempotentResponse> =>
  inTransaction(deps, async (deps) => {
    if (request.key === undefined) return { ...(await work(deps)), replayed: false }
    requireValidKey(request.key)
    const { workspaceId } = request.caller
    const now = deps.clock.now()
    const scopeHash = sha256(formatScope(request))
    const bodyHash = sha256(canonicalJson(request.body))

    if (!(await tryLockScope(deps.db, scopeHash))) throw keyInUse()
    // A statement of its own: one snapshot for both would predate the lock, and miss the answer of
    // who held it a moment ago.
    const stored = await findStoredResponse(deps.db, workspaceId, scopeHash, now)
    if (stored !== undefined && !stored.bodyHash.equals(bodyHash)) throw keyReused()
    if (stored !== undefined) return { status: stored.status, body: stored.body, replayed: true }

    const response = await work(deps)
    const expiresAt = new Date(now.getTime() + ttlMs)
    await storeResponse(deps.db, workspaceId, scopeHash, { ...response, bodyHash, now, expiresAt })
    return { ...response, replayed: false }
  })

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const formatScope = ({ caller, method, path, key }: IdempotentRequest): string =>
  JSON.stringify([getConnectionKey(caller), method, path, key])

function requireValidKey(key: string): void {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return
  throw invalidField(
    'Idempotency-Key',
    'invalid_idempotency_key',
    'Idempotency-Key must have 1 to 255 letters, digits or signs of plain ASCII.',
  )
}

const keyInUse = () =>
  new ApiError(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is still being worked on: send it again in a second.',
    { headers: { 'Retry-After': '1' } },
  )

const keyReused = () =>
  new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for a request with other content: use a new key for it.',
  )

/** Lets `Idempotency-Key` count for a POST to `path` (without its trailing slash). */
export async function respondToPostOnce(
  deps: Deps,
  path: string,
  request: RouteRequest<unknown, unknown>,
  work: (deps: Deps) => Promise<{ status: number; body: unknown }>,
): Promise<RouteResponse> {
  const { caller, body, idempotencyKey: key } = request
  const {
    status,
    body: responseBody,
    replayed,
  } = await respondOnce(deps, { caller, method: 'POST', path, key, body }, work)
  return { status, body: responseBody, ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }) }
}
