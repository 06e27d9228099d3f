import { createHash } from 'node:crypto'
import { ContactAdded, errorTexts, toErrorMessage } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { dayMs } from '../core/durations.ts'
import { ApiError, fieldError, fieldIssue } from '../core/errors.ts'
import { canonicalJson } from '../core/text.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import { findStoredResponses, insertResponses, toScopeLock, tryLockScopes } from './idempotency-store.ts'

/** How long a response is stored. */
export const responseTtlMs = dayMs

/** A request that the client may repeat because the response was lost. */
interface IdempotentRequest {
  caller: Caller
  method: string
  /** The path of the request, without a trailing slash. */
  path: string
  /** The `Idempotency-Key` header as sent. */
  key: string
  /** The validated body, or a part of it. Validation makes bodies with different formatting compare as equal. */
  body: unknown
}

/** Identifies a request with an idempotency key, and its body, as SHA-256. */
export interface HashedRequest {
  scopeHash: Buffer
  bodyHash: Buffer
  /** The advisory lock of the scope, a bigint. */
  lock: string
}

export interface StoredResponse {
  status: number
  body?: unknown
}

/** Returns a stored response of `POST /contacts/`. Adds `warnings`, which earlier versions didn't store. */
export const readContactAdded = (body: unknown): ContactAdded =>
  ContactAdded.parse({ warnings: [], ...(body as object) })

/** The state of a key. `free`: it has no stored response, and no other request can store one until the transaction ends. */
type KeyState =
  { kind: 'free' } | { kind: 'stored'; response: StoredResponse } | { kind: 'rejected'; error: ApiError }

/**
 * Does `work` once per connection, method, path, and key in 24 hours. Repeated requests return the stored response. The
 * response is stored in the same transaction as the work, so neither exists without the other. Errors aren't stored.
 *
 * @param request null for a request without an idempotency key, which always does the work
 * @throws {ApiError} idempotency_key_in_use, idempotency_key_reused
 */
export const respondOnce = <Scope extends Pick<Deps, 'db' | 'clock' | 'notify'>>(
  deps: Scope,
  workspaceId: number,
  request: HashedRequest | null,
  work: (tx: Scope) => Promise<StoredResponse>,
): Promise<StoredResponse & { replayed: boolean }> =>
  inTransaction(deps, async (tx) => {
    if (request === null) return { ...(await work(tx)), replayed: false }
    const now = tx.clock.now()
    const state = (await lockKeys(tx.db, workspaceId, [request], now)).get(request)
    if (state?.kind === 'rejected') throw state.error
    if (state?.kind === 'stored') return { ...state.response, replayed: true }
    const response = await work(tx)
    await storeResponses(tx.db, workspaceId, [{ request, response }], now)
    return { ...response, replayed: false }
  })

/** Locks the keys of requests until the transaction ends, and returns the state of each key. */
export async function lockKeys(
  db: Db,
  workspaceId: number,
  requests: readonly HashedRequest[],
  now: Date,
): Promise<Map<HashedRequest, KeyState>> {
  if (requests.length === 0) return new Map()
  const locked = await tryLockScopes(
    db,
    requests.map(({ lock }) => lock),
  )
  // A separate statement: in one statement with the lock, the snapshot would be older than the lock and miss the
  // response that the previous holder stored.
  const scopes = requests.map(({ scopeHash }) => scopeHash)
  const stored = await findStoredResponses(db, workspaceId, scopes, now)
  const toState = ({ scopeHash, bodyHash, lock }: HashedRequest): KeyState => {
    if (!locked.has(lock)) return { kind: 'rejected', error: keyInUse() }
    const response = stored.find((found) => found.scopeHash.equals(scopeHash))
    if (response === undefined) return { kind: 'free' }
    if (!response.bodyHash.equals(bodyHash)) return { kind: 'rejected', error: keyReused(response.body) }
    return { kind: 'stored', response: { status: response.status, body: response.body } }
  }
  return new Map(requests.map((request) => [request, toState(request)]))
}

/** Stores the responses of requests whose keys this transaction has locked. */
export const storeResponses = (
  db: Db,
  workspaceId: number,
  responses: readonly { request: HashedRequest; response: StoredResponse }[],
  now: Date,
): Promise<void> =>
  insertResponses(
    db,
    workspaceId,
    responses.map(({ request, response }) => ({
      scopeHash: request.scopeHash,
      bodyHash: request.bodyHash,
      status: response.status,
      body: response.body,
    })),
    { now, expiresAt: new Date(now.getTime() + responseTtlMs) },
  )

/**
 * Hashes a request's scope and body.
 *
 * @throws {ApiError} validation_failed if the idempotency key isn't valid
 */
export function hashRequest(request: IdempotentRequest): HashedRequest {
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

/** Returns an error that names the call of the first request, unless its contact was erased. */
function keyReused(body: unknown): ApiError {
  const first = FirstCall.safeParse(body)
  if (!first.success) return new ApiError('idempotency_key_reused')
  const values = first.data.call
  return new ApiError('idempotency_key_reused', {
    message: toErrorMessage(errorTexts['idempotency_key_reused.call'], values),
    details: [fieldIssue('call_id', 'used_for_call', values)],
  })
}

/** The fields that identify the call in a stored response of `POST /contacts/`. An erased contact has no number. */
const FirstCall = z.object({
  contact: z.object({ phone_number: z.string().min(1) }),
  call: z.object({ id: z.number(), url: z.string() }),
})
