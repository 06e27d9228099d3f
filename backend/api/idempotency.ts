import { createHash } from 'node:crypto'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { dayMs } from '../core/durations.ts'
import { ApiError, invalidField } from '../core/errors.ts'
import { canonicalJson } from '../core/text.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findStoredResponse, storeResponse, tryLockScope } from './idempotency-store.ts'

const ttlMs = dayMs

/** A request that may be sent again because its response was lost. */
interface IdempotentRequest {
  caller: Caller
  method: string
  /** Without a trailing slash. */
  path: string
  /** The `Idempotency-Key` header as sent; without one the work is simply done. */
  key: string | undefined
  /** As validated, so that two spellings of one body are the same. */
  body: unknown
}

interface Response {
  status: number
  body?: unknown
}

/**
 * Does `work` once per connection, method, path, and key in 24 hours, and then returns the same response
 * again. The response is stored in the transaction of the work itself: neither exists without the other, and
 * an error stores nothing.
 *
 * @throws {ApiError} idempotency_key_in_use, idempotency_key_reused, validation_failed
 */
export const respondOnce = <Scope extends Pick<Deps, 'db' | 'clock' | 'notify'>>(
  deps: Scope,
  request: IdempotentRequest,
  work: (tx: Scope) => Promise<Response>,
): Promise<Response & { replayed: boolean }> =>
  inTransaction(deps, async (tx) => {
    if (request.key === undefined) return { ...(await work(tx)), replayed: false }
    requireValidKey(request.key)
    const { workspaceId } = request.caller
    const now = tx.clock.now()
    const scopeHash = sha256(formatScope(request))
    const bodyHash = sha256(canonicalJson(request.body))

    if (!(await tryLockScope(tx.db, scopeHash))) throw keyInUse()
    // A statement of its own: one snapshot for both would predate the lock, and miss the response of
    // who held it a moment ago.
    const stored = await findStoredResponse(tx.db, workspaceId, scopeHash, now)
    if (stored !== undefined && !stored.bodyHash.equals(bodyHash)) throw keyReused()
    if (stored !== undefined) return { status: stored.status, body: stored.body, replayed: true }

    const response = await work(tx)
    const expiresAt = new Date(now.getTime() + ttlMs)
    await storeResponse(tx.db, workspaceId, scopeHash, {
      status: response.status,
      body: response.body,
      bodyHash,
      now,
      expiresAt,
    })
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
    'Idempotency-Key must have 1 to 255 printable ASCII characters.',
  )
}

const keyInUse = () =>
  new ApiError(
    'idempotency_key_in_use',
    'Another request with this Idempotency-Key is in progress. Try again in one second.',
    { headers: { 'Retry-After': '1' } },
  )

const keyReused = () =>
  new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used in the last 24 hours with different data. Use a different key for each request.',
  )
