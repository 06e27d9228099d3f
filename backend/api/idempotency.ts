import { createHash } from 'node:crypto'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { dayMs } from '../core/durations.ts'
import { ApiError, fieldError } from '../core/errors.ts'
import { canonicalJson } from '../core/text.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findStoredResponse, storeResponse, toScopeLock, tryLockScope } from './idempotency-store.ts'

/** How long a response is stored. */
export const responseTtlMs = dayMs

/** A request that the client may repeat because the response was lost. */
export interface IdempotentRequest {
  caller: Caller
  method: string
  /** Without a trailing slash. */
  path: string
  /** The `Idempotency-Key` header as sent. Without it, every request does the work. */
  key: string | undefined
  /** The validated body, so that differently formatted bodies compare as equal, or a part of it. */
  body: unknown
}

interface Response {
  status: number
  body?: unknown
}

/**
 * Does `work` once per connection, method, path, and key in 24 hours. Repeated requests return the stored response.
 * It's stored in the transaction of the work, so neither exists without the other. Errors aren't stored. `onReplay`
 * runs in the transaction before a stored response is returned.
 *
 * @throws {ApiError} idempotency_key_in_use, idempotency_key_reused, validation_failed
 */
export const respondOnce = <Scope extends Pick<Deps, 'db' | 'clock' | 'notify'>>(
  deps: Scope,
  request: IdempotentRequest,
  work: (tx: Scope) => Promise<Response>,
  onReplay: (tx: Scope, stored: unknown) => Promise<void> = async () => {},
  formatStored: (stored: unknown) => unknown = (stored) => stored,
): Promise<Response & { replayed: boolean }> =>
  inTransaction(deps, async (tx) => {
    if (request.key === undefined) return { ...(await work(tx)), replayed: false }
    const { workspaceId } = request.caller
    const now = tx.clock.now()
    const { scopeHash, bodyHash, lock } = hashRequest({ ...request, key: request.key })

    if (!(await tryLockScope(tx.db, lock))) throw keyInUse()
    // A separate statement: in one statement with the lock, the snapshot would be older than the lock and miss the
    // response that the previous holder stored.
    const stored = await findStoredResponse(tx.db, workspaceId, scopeHash, now)
    if (stored !== undefined && !stored.bodyHash.equals(bodyHash)) throw keyReused()
    if (stored !== undefined) {
      const body = formatStored(stored.body)
      await onReplay(tx, body)
      return { status: stored.status, body, replayed: true }
    }

    const response = await work(tx)
    const expiresAt = new Date(now.getTime() + responseTtlMs)
    await storeResponse(tx.db, workspaceId, scopeHash, {
      status: response.status,
      body: response.body,
      bodyHash,
      now,
      expiresAt,
    })
    return { ...response, replayed: false }
  })

/**
 * Returns what identifies a request with a key, and its body.
 *
 * @throws {ApiError} validation_failed if the key isn't valid
 */
export function hashRequest(request: IdempotentRequest & { key: string }) {
  requireValidKey(request.key)
  const scopeHash = sha256(formatScope(request))
  return { scopeHash, bodyHash: sha256(canonicalJson(request.body)), lock: toScopeLock(scopeHash) }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const formatScope = ({ caller, method, path, key }: IdempotentRequest): string =>
  JSON.stringify([getConnectionKey(caller), method, path, key])

function requireValidKey(key: string): void {
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return
  throw fieldError('Idempotency-Key', 'invalid_idempotency_key')
}

export const keyInUse = () => new ApiError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } })

export const keyReused = () => new ApiError('idempotency_key_reused')
