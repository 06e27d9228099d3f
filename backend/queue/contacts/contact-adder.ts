import type { AddContact, ContactAdded, Warning } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { ApiError, describeError } from '../../platform/core/errors.ts'
import { leftOut, share } from '../../platform/core/share.ts'
import { getPools } from '../../platform/db/connect.ts'
import { isConflict, isRolledBack } from '../../platform/db/outage.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { scopeToWorkspace } from '../../platform/db/workspace-scope.ts'
import { type HashedRequest, keyInUse, readContactAdded } from '../../platform/idempotency/idempotency.ts'
import { toAddition } from './add-contact.ts'
import { addContacts, needsOwnTransaction } from './add-contacts.ts'
import type { AddRequest, AddResult, Decision } from './add-request.ts'
import { leaveOutFutureConsent } from './read-add-contact.ts'

/** A validated request to `POST /contacts/`. */
interface AddContactRequest {
  caller: Caller
  /** The SHA-256 of the caller's credential. */
  tokenHash: Buffer
  /** Identifies a repeated request. Null without an idempotency key. */
  key: HashedRequest | null
  body: AddContact
  /** Warnings about what was left out of the body. */
  warnings: readonly Warning[]
}

/** @throws {ApiError} */
export type ContactAdder = (
  request: AddContactRequest,
) => Promise<{ status: 200 | 201; body: ContactAdded; replayed: boolean }>

/**
 * Creates the function that handles `POST /contacts/`. Concurrent requests of a workspace share a transaction. Each
 * gets a separate response or error, as if it had been handled alone.
 */
export function createContactAdder(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'log' | 'notify'>,
): ContactAdder {
  const [, pool] = getPools(deps.db)
  /**
   * The locks of idempotency keys whose requests must run alone, which can take long. While a key is in this set, a repeated
   * request is rejected. Before that, `share` runs requests with the same key one after the other.
   */
  const keysAlone = new Set<string>()
  const leaveOut = (requests: readonly AddRequest[]): Decision[] => {
    for (const lock of requests.flatMap(lockOfKey)) keysAlone.add(lock)
    return requests.map(() => leftOut)
  }
  const addTogether = share<AddRequest, AddResult>(
    async (workspaceId, requests, isAlone) => {
      if (!isAlone && requests.every(needsOwnTransaction)) return leaveOut(requests)
      const add = () =>
        inTransaction(scopeToWorkspace(deps, workspaceId), (tx) =>
          addContacts(tx, workspaceId, requests, { isAlone }),
        )
      // Requests that run alone can deadlock with one another: each locks its contact's other campaigns as well.
      const results = await (isAlone ? add().catch((error: unknown) => retryConflict(error, add)) : add())
      requests.forEach((request, index) => {
        if (results[index] === leftOut) leaveOut([request])
      })
      return results
    },
    {
      maxSize: 64,
      // Half of the pool's connections remain for everything else, even if all of these transactions wait.
      maxRunning: Math.max(1, Math.floor(pool.options.max / 2)),
      maxRunningPerGroup: 1,
      // A transaction takes tens of milliseconds at most, unless it waits at its commit for the queue of a campaign.
      slowAfterMs: 100,
      // A request that waits hasn't changed anything, so its client can safely send it again.
      deadline: {
        maxWaitMs: 10 * secondMs,
        createError: () => new ApiError('unavailable', { headers: { 'Retry-After': '1' } }),
      },
      keysOf: (request) => [...numbersOf(request), ...lockOfKey(request)],
      isRolledBack,
      onRollback: (error, requests) =>
        deps.log.warn(
          { error: describeError(error), requests },
          'failed to handle a batch of requests; handling them one at a time',
        ),
    },
  )

  return async ({ caller, tokenHash, key, ...request }) => {
    if (key !== null && keysAlone.has(key.lock)) throw keyInUse()
    const scoped = scopeToWorkspace(deps, caller.workspaceId)
    const { addition, ...lenient } = await toLenientAddition(scoped, caller, request)
    // With an idempotency key, an error counts only if no response is stored.
    if (key === null && addition instanceof ApiError) throw addition
    const callbackUrl = request.body.callback_url ?? null
    const api = { caller, tokenHash, key, callbackUrl, ...lenient }
    const result = await addTogether(caller.workspaceId, { addition, api }).finally(
      () => key && keysAlone.delete(key.lock),
    )
    if (result.kind === 'rejected') throw result.error
    if (result.response === null) throw new Error('invariant: a request of the API has a response')
    const { status, body } = result.response
    const replayed = result.kind === 'replayed'
    return {
      status: status === 201 ? 201 : 200,
      body: replayed ? readContactAdded(body) : (body as ContactAdded),
      replayed,
    }
  }
}

async function toLenientAddition(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  caller: Caller,
  request: Pick<AddContactRequest, 'body' | 'warnings'>,
) {
  try {
    const { body, warnings } = leaveOutFutureConsent(request.body, deps.clock.now())
    return {
      addition: await toAddition(deps, caller, body),
      isLenient: body.lenient === true,
      warnings: [...request.warnings, ...warnings],
    }
  } catch (error) {
    return { addition: returnApiError(error), isLenient: false, warnings: [] }
  }
}

const lockOfKey = ({ api }: AddRequest): string[] => (api?.key ? [api.key.lock] : [])

const numbersOf = ({ addition }: AddRequest): string[] =>
  addition instanceof ApiError || 'id' in addition.contact
    ? []
    : [...new Set([addition.contact.phoneNumber, ...addition.doNotCallNumbers])]

/**
 * Repeats `add` if PostgreSQL has rolled back its transaction because of a conflict with another one. Rethrows other errors.
 */
function retryConflict<Result>(error: unknown, add: () => Promise<Result>): Promise<Result> {
  if (isConflict(error)) return add()
  throw error
}

function returnApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}
