import { findCall } from '../calls/get-calls.ts'
import { queueScheduledCall } from '../calls/queue-call.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { lockCampaign, lockContactByNumber } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { formatLocalTime, isTooFarAhead, parseRequestedTime } from '../scheduling/local-time.ts'
import { timeZoneOfContact } from '../scheduling/time-zones.ts'
import { findContactsBy } from './find-contacts.ts'

/** The call in which a contact asks to be called again. */
interface CurrentCall {
  workspaceId: number
  campaignId: number
  contactId: number
  phoneNumber: string
  test: boolean
}

export interface ScheduledCallback {
  requestedTime: Date
  /** Later than requested if that's outside calling hours. Null if nothing was queued. */
  scheduledTime: Date | null
  /** The contact's time zone, or the campaign's if that's unknown. */
  timeZone: string
}

/**
 * Queues another call of the same campaign at the time that the contact asked for. Agents may repeat a request: a
 * second one for the same time returns the call that's already queued.
 *
 * @param request.at ISO 8601; without an offset, the contact's local time, or the campaign's if that is
 *   unknown
 * @param request.dryRun checks everything and queues nothing
 * @throws {ApiError} not_found, validation_failed, with a message for the agent
 */
export const queueCallback = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  call: CurrentCall,
  request: { at: string; dryRun: boolean },
): Promise<ScheduledCallback> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const timeZone = await requireCallableTimeZone(tx.db, call)
    const requestedTime = requireRequestedTime(request.at, timeZone, now)
    if (request.dryRun) return { requestedTime, scheduledTime: null, timeZone }

    const { workspaceId, campaignId, contactId, test } = call
    const callId = await queueScheduledCall(tx.db, workspaceId, {
      campaignId,
      contactId,
      test,
      now,
      scheduledAt: requestedTime,
      metadata: {},
      callbackUrl: null,
    })
    const queuedCall = await findCall(tx.db, workspaceId, callId, now)
    tx.notify.callQueued()
    const nextAttemptAt = queuedCall?.next_attempt_at ?? null
    return {
      requestedTime,
      scheduledTime: nextAttemptAt === null ? requestedTime : new Date(nextAttemptAt),
      timeZone,
    }
  })

/** Locks the contact, so that opt-outs and other requests wait, and returns its time zone. */
async function requireCallableTimeZone(db: Db, call: CurrentCall): Promise<string> {
  const { workspaceId, campaignId, contactId, phoneNumber } = call
  await lockContactByNumber(db, workspaceId, phoneNumber)
  const [contact] = await findContactsBy(db, workspaceId, 'id', contactId)
  const campaign = await lockCampaign(db, workspaceId, campaignId, 'share')
  if (contact === undefined || campaign === undefined) {
    throw notFound("This contact was erased. Don't promise a callback.")
  }
  if (contact.do_not_call) {
    throw invalidField(
      'at',
      'do_not_call',
      "This number is on the do-not-call list. Don't promise a callback.",
    )
  }
  if (campaign.status === 'archived') {
    throw invalidField('at', 'campaign_archived', "This campaign is archived. Don't promise a callback.")
  }
  return (await timeZoneOfContact(contact)) ?? campaign.timeZone
}

function requireRequestedTime(text: string, timeZone: string, now: Date): Date {
  const at = parseRequestedTime(text, timeZone)
  const currentTime = `It's ${formatLocalTime(now, timeZone)} now.`
  if (at === undefined) {
    const message = `at must be a date and time, for example ${now.getUTCFullYear()}-12-03T15:30. ${currentTime}`
    throw invalidField('at', 'invalid_datetime', message)
  }
  if (at <= now) {
    throw invalidField(
      'at',
      'in_the_past',
      `${formatLocalTime(at, timeZone)} is in the past. ${currentTime} Ask for a later time.`,
    )
  }
  if (isTooFarAhead(at, now)) {
    const message = `${formatLocalTime(at, timeZone)} is more than a year ahead. ${currentTime} Ask for an earlier time.`
    throw invalidField('at', 'too_far_ahead', message)
  }
  return at
}
