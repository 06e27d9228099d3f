import { isOnDoNotCallList } from '../calls/check-do-not-call.ts'
import { queueCall } from '../calls/queue-call.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { lockContact } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { toScheduledAt } from '../scheduling/local-time.ts'

/** A call that a person in the dashboard asks for. */
export interface CallRequest {
  campaignId: number
  /** Not before. Null: as soon as may be. */
  at: Date | null
  test: boolean
}

/**
 * Queues a call to a known contact. Where one is open in this campaign, that one is told; a number on the
 * do-not-call list is refused, since a person should know it before anything is queued.
 *
 * @throws {ApiError} not_found, campaign_archived, validation_failed
 */
export const callContact = (
  deps: Deps,
  contactKey: { workspaceId: number; contactId: number },
  request: CallRequest,
): Promise<{ callId: number; queued: boolean }> =>
  inTransaction(deps, async ({ db, clock, notify }) => {
    const { workspaceId, contactId } = contactKey
    const now = clock.now()
    const contact = await lockContact(db, workspaceId, contactId)
    if (contact === undefined) throw notFound('There is no contact with this id in this workspace.')
    if (await isOnDoNotCallList(db, workspaceId, contact.phone_number)) throw doNotCallError()
    const scheduledAt = toScheduledAt(request.at, now)
    const call = await queueCall(db, {
      workspaceId,
      campaignId: request.campaignId,
      contactId,
      now,
      scheduledAt,
      ifAlreadyQueued: 'skip',
      test: request.test,
      metadata: {},
      callbackUrl: null,
    }).catch(throwAsFieldError)
    notify.callQueued()
    return call
  })

const doNotCallError = () =>
  new ApiError('validation_failed', 'This number is on the do-not-call list: no call was queued.')

/** A campaign that is not there is a field's mistake: the contact is. */
function throwAsFieldError(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
  throw new ApiError('validation_failed', error.message, { details: error.details })
}
