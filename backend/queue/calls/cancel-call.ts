import type { CallsCanceled, CancelCalls } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { fieldError, notFound } from '../../platform/core/errors.ts'
import { callsToNumberUrl } from '../../platform/core/page-urls.ts'
import { lockCampaign, lockContact, lockNumbers } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { QueuedCallResult } from './call-store.ts'
import { completeQueuedCalls } from './complete-calls.ts'
import { lockQueuedCallsToNumbers } from './do-not-call-store.ts'
import { findCall } from './get-calls.ts'
import { normalizeNumbers } from './resolve-number.ts'

/**
 * Cancels a call that is still queued. A call that is being dialed, in progress, or completed isn't changed.
 *
 * @returns false if the call was no longer queued
 * @throws {ApiError} not_found
 */
export const cancelCall = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  callId: number,
): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const now = tx.clock.now()
    const canceled = await completeQueuedCalls(tx, workspaceId, [callId], canceledBy(caller, now))
    if (canceled.length === 0 && (await findCall(tx, workspaceId, callId, now)) === undefined) {
      throw notFound('call')
    }
    return canceled.length > 0
  })

const canceledBy = (caller: Caller, at: Date): QueuedCallResult => ({
  outcome: 'canceled',
  endedReason: 'canceled_by_user',
  at,
  canceledBy: toActor(caller),
})

/**
 * Cancels all queued calls to a contact or to the numbers in a text, in all campaigns or in one. Other calls aren't changed.
 * Waits for transactions that are queuing calls to the contact, and cancels those calls too.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const cancelCallsToContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  request: CancelCalls,
): Promise<CallsCanceled> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const phoneNumbers = await lockNumbersOf(tx.db, workspaceId, request)
    const { campaign_id: campaignId } = request
    if (typeof campaignId === 'number' && !(await lockCampaign(tx.db, workspaceId, campaignId, 'share')))
      throw fieldError('campaign_id', 'not_found.object', { object: 'campaign' })
    const waiting = await lockQueuedCallsToNumbers(tx.db, workspaceId, phoneNumbers, campaignId)
    const result = canceledBy(caller, tx.clock.now())
    const canceled = await completeQueuedCalls(tx, workspaceId, waiting, result)
    return {
      canceled: canceled.toSorted((one, other) => one - other),
      phone_numbers: phoneNumbers,
      url: callsToNumberUrl(tx.config, workspaceId, phoneNumbers[0]),
    }
  })

/** Locks the contact, or the numbers and the contacts who have them. Returns the numbers. */
async function lockNumbersOf(
  db: Db,
  workspaceId: number,
  request: CancelCalls,
): Promise<[string, ...string[]]> {
  if (typeof request.contact_id === 'number') {
    const contact = await lockContact(db, workspaceId, request.contact_id)
    if (contact === undefined) throw fieldError('contact_id', 'not_found.object', { object: 'contact' })
    return [contact.phoneNumber]
  }
  const { phone_number: phoneNumber, country } = request
  const numbers = await normalizeNumbers(db, workspaceId, { phoneNumber: phoneNumber ?? '', country })
  await lockNumbers(db, workspaceId, numbers)
  return numbers
}
