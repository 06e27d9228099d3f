import type { Caller } from '../core/caller.ts'
import { ApiError, fieldError } from '../core/errors.ts'
import { lockCall, lockConnection } from '../db/locks.ts'
import type { Deps } from '../deps.ts'
import { findTargetUrlIssue, normalizeTargetUrl } from '../outbound/target-url.ts'
import { callbackDelayMs, countCallbacks, insertCallback, insertCallbackDelivery } from './callback-store.ts'

const maxCallbacks = 5

/**
 * Checks a callback URL, and locks the connection that asks for it until the transaction ends. Call it before other
 * rows are locked.
 *
 * @throws {ApiError} validation_failed (callback_url), and invalid_credential if the connection was removed meanwhile
 */
export async function prepareCallback(
  deps: Pick<Deps, 'config' | 'db'>,
  caller: Caller,
  url: string,
): Promise<void> {
  const issue = findTargetUrlIssue(deps.config, url)
  if (issue !== undefined) {
    const details = [{ field: 'callback_url', code: 'invalid_target_url', message: issue }]
    throw new ApiError('validation_failed', { details })
  }
  if (!(await lockConnection(deps.db, caller))) throw connectionEndedError()
}

export const connectionEndedError = () => new ApiError('invalid_credential.connection_removed')

/**
 * Adds a callback URL to a call after `prepareCallback`. A URL that the call already has is ignored. If the call's
 * event exists already, it's sent to the URL. Call `notify.deliveryQueued()` after the commit.
 *
 * @throws {ApiError} validation_failed if the call would have more than five
 */
export async function addCallback(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Caller,
  { callId, url }: { callId: number; url: string },
): Promise<void> {
  const { workspaceId } = caller
  // The transaction that writes the call's event holds this lock: it either finds the URL, or this finds the event.
  await lockCall(db, workspaceId, callId)
  // After all locks, because waiting for them can take longer than the time until the first delivery.
  const at = clock.now()
  const callbackId = await insertCallback(db, caller, { callId, url: normalizeTargetUrl(url), at })
  if (callbackId === undefined) return
  if ((await countCallbacks(db, workspaceId, callId)) > maxCallbacks)
    throw fieldError('callback_url', 'too_many_callback_urls', { limit: maxCallbacks })
  const notBefore = new Date(at.getTime() + callbackDelayMs)
  await insertCallbackDelivery(db, workspaceId, { callbackId, notBefore, at })
}
