import { isOnDoNotCallList } from '../calls/check-do-not-call.ts'
import { queueCall } from '../calls/queue-call.ts'
import { toActor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import { ApiError, notFound, throwAsFieldError } from '../core/errors.ts'
import { lockContact } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { checkScheduledAt } from '../scheduling/local-time.ts'

/** A call that a user requests in the dashboard. */
interface CallRequest {
  campaignId: number
  /** Null: as soon as possible. */
  at: Date | null
  test: boolean
}

/**
 * Queues a call to a contact, or returns the contact's open call in this campaign. A number on the do-not-call list is
 * an error, so that the user sees it before anything is queued.
 *
 * @throws {ApiError} not_found, campaign_archived, validation_failed
 */
export const callContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  contactId: number,
  request: CallRequest,
): Promise<{ callId: number; queued: boolean }> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const now = tx.clock.now()
    const contact = await lockContact(tx.db, workspaceId, contactId)
    if (contact === undefined) throw notFound('contact')
    if (await isOnDoNotCallList(tx.db, workspaceId, contact.phoneNumber)) throw doNotCallError()
    const call = await queueCall(tx, workspaceId, {
      campaignId: request.campaignId,
      contactId,
      now,
      scheduledAt: checkScheduledAt(request.at, now),
      ifAlreadyQueued: 'skip',
      test: request.test,
      metadata: {},
      origin: toActor(caller),
    }).catch(throwAsFieldError)
    tx.notify.callQueued()
    return call
  })

const doNotCallError = () => new ApiError('validation_failed.do_not_call')
