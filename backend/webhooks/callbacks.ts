import type { Deps } from '../deps.ts'
import type { Caller } from '../platform/core/caller.ts'
import { ApiError, fieldError } from '../platform/core/errors.ts'
import { lockCall, lockConnection } from '../platform/db/locks.ts'
import type { Db } from '../platform/db/schema.ts'
import { findTargetUrlIssue, normalizeTargetUrl } from '../platform/outbound/target-url.ts'
import {
  callbackDelayMs,
  countCallbacks,
  insertCallback,
  insertCallbackDelivery,
} from './callback-url-store.ts'

/** The maximum number of callback URLs of one call. */
export const maxCallbacks = 5

/** @throws {ApiError} validation_failed (callback_url) */
export function checkCallbackUrl(config: Deps['config'], url: string): void {
  const issue = findTargetUrlIssue(config, url)
  if (issue === undefined) return
  const details = [{ field: 'callback_url', code: 'invalid_target_url', message: issue }]
  throw new ApiError('validation_failed', { details })
}

/**
 * Locks the connection that adds a callback URL until the transaction ends. Call it before other rows are locked. Returns an
 * error if the connection was removed meanwhile.
 */
export const lockCallbackOwner = async (db: Db, caller: Caller): Promise<ApiError | null> =>
  (await lockConnection(db, caller)) ? null : connectionEndedError()

export const connectionEndedError = () => new ApiError('invalid_credential.connection_removed')

/**
 * Adds a callback URL to a call after `lockCallbackOwner`. A URL that the call already has is ignored. If the call's event
 * exists already, it's sent to the URL. Call `notify.deliveryQueued()` after the commit.
 *
 * @throws {ApiError} validation_failed if the call would have more than `maxCallbacks` callback URLs
 */
export async function addCallback(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Caller,
  { callId, url }: { callId: number; url: string },
): Promise<void> {
  const { workspaceId } = caller
  // The transaction that writes the call's event takes the same lock. So either that transaction finds the URL, or this one
  // finds the event.
  await lockCall(db, workspaceId, callId)
  // Reads the time after all locks are taken, because waiting for them can take longer than the delay of the first delivery.
  const at = clock.now()
  const callbackId = await insertCallback(db, caller, { callId, url: normalizeTargetUrl(url), at })
  if (callbackId === undefined) return
  if ((await countCallbacks(db, workspaceId, callId)) > maxCallbacks)
    throw fieldError('callback_url', 'too_many_callback_urls', { limit: maxCallbacks })
  const notBefore = new Date(at.getTime() + callbackDelayMs)
  await insertCallbackDelivery(db, workspaceId, { callbackId, notBefore, at })
}
