import { createHash } from 'node:crypto'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { dayMs } from '../core/durations.ts'
import { ApiError, fieldError } from '../core/errors.ts'
import { canonicalJson } from '../core/text.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findStoredResponse, storeResponse, tryLockScope } from './idempotency-store.ts'

const ttlMs = dayMs

/** A request that the client may repeat because the response was lost. */
interface IdempotentRequest {
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
): Promise<Response & { replayed: boolean }> =>
  inTransaction(deps, async (tx) => {
    if (request.key === undefined) return { ...(await work(tx)), replayed: false }
    requireValidKey(request.key)
    const { workspaceId } = request.caller
    const now = tx.clock.now()
    const scopeHash = sha256(formatScope(request))
    const bodyHash = sha256(canonicalJson(request.body))

    if (!(await tryLockScope(tx.db, scopeHash))) throw keyInUse()
    // A separate statement: in one statement with the lock, the snapshot would be older than the lock and miss the
    // response that the previous holder stored.
    const stored = await findStoredResponse(tx.db, workspaceId, scopeHash, now)
    if (stored !== undefined && !stored.bodyHash.equals(bodyHash)) throw keyReused()
    if (stored !== undefined) {
      await onReplay(tx, stored.body)
      return { status: stored.status, body: stored.body, replayed: true }
    }

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
  throw fieldError('Idempotency-Key', 'invalid_idempotency_key')
}

const keyInUse = () => new ApiError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } })

const keyReused = () => new ApiError('idempotency_key_reused')
