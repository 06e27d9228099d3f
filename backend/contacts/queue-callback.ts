import { findQueuedCallAt } from '../calls/find-calls.ts'
import { findCall } from '../calls/get-calls.ts'
import { queueCall } from '../calls/queue-call.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { lockCampaign, lockContactByNumber } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { formatLocalTime, maxScheduledAt, parseRequestedTime } from '../scheduling/local-time.ts'
import { timeZoneOfContact } from '../scheduling/time-zones.ts'
import { findContactsBy } from './contact-queries.ts'

/** The call in which somebody asks to be called again. */
export interface CurrentCall {
  workspaceId: number
  campaignId: number
  contactId: number
  phoneNumber: string
  test: boolean
}

export interface ScheduledCallback {
  requestedTime: Date
  /** When the phone rings: later than asked where no call is permitted then. Null where nothing was queued. */
  scheduledTime: Date | null
  /** The clock that the contact goes by. */
  timeZone: string
}

/**
 * Queues another call of the same campaign for the time that the contact asks for, beside the present call. The same
 * time again is the same call-back: agents repeat themselves.
 *
 * @param ask.at ISO 8601; without an offset it is the contact's local time, or the campaign's where that is not known
 * @param ask.dryRun checks everything and queues nothing
 * @throws {ApiError} not_found, validation_failed, in words for the agent
 */
export const queueCallback = (
  deps: Deps,
  call: CurrentCall,
  request: { at: string; dryRun: boolean },
): Promise<ScheduledCallback> =>
  inTransaction(deps, async ({ db, clock, notify }) => {
    const now = clock.now()
    const timeZone = await requireCallableTimeZone(db, call)
    const requestedTime = requireRequestedTime(request.at, timeZone, now)
    if (request.dryRun) return { requestedTime, scheduledTime: null, timeZone }

    const { workspaceId, campaignId, contactId, test } = call
    const waitingCall = await findQueuedCallAt(db, workspaceId, {
      campaignId,
      contactId,
      test,
      at: requestedTime,
    })
    const callId = waitingCall?.id ?? (await queueCallAt(db, call, requestedTime, now))
    const queuedCall = await findCall(db, workspaceId, callId, now)
    notify.callQueued()
    const nextAttemptAt = queuedCall?.next_attempt_at ?? null
    return {
      requestedTime,
      scheduledTime: nextAttemptAt === null ? requestedTime : new Date(nextAttemptAt),
      timeZone,
    }
  })

/** Holds the contact, so that no refusal and no second request comes between, and tells its time zone. */
async function requireCallableTimeZone(db: Db, call: CurrentCall): Promise<string> {
  const { workspaceId, campaignId, contactId, phoneNumber } = call
  await lockContactByNumber(db, workspaceId, phoneNumber)
  const [contact] = await findContactsBy(db, workspaceId, 'id', contactId)
  const campaign = await lockCampaign(db, workspaceId, campaignId, 'share')
  if (contact === undefined || campaign === undefined) {
    throw notFound('This contact is no longer kept, so that no call-back can be planned.')
  }
  if (contact.do_not_call) {
    throw invalidField('at', 'do_not_call', 'This number is on the do-not-call list: promise no call-back.')
  }
  if (campaign.status === 'archived') {
    throw invalidField('at', 'campaign_archived', 'This campaign has ended: promise no call-back.')
  }
  return (await timeZoneOfContact(contact)) ?? campaign.time_zone
}

function requireRequestedTime(text: string, timeZone: string, now: Date): Date {
  const at = parseRequestedTime(text, timeZone)
  const currentTime = `It is ${formatLocalTime(now, timeZone)} now.`
  if (at === undefined) {
    const message = `at must be a date and a time, such as ${now.getUTCFullYear()}-12-03T15:30. ${currentTime}`
    throw invalidField('at', 'invalid_datetime', message)
  }
  if (at <= now) {
    throw invalidField(
      'at',
      'in_the_past',
      `${formatLocalTime(at, timeZone)} is past. ${currentTime} Ask for a later time.`,
    )
  }
  if (at > maxScheduledAt(now)) {
    const message = `${formatLocalTime(at, timeZone)} is more than a year ahead. ${currentTime} Ask for an earlier time.`
    throw invalidField('at', 'too_far_ahead', message)
  }
  return at
}

async function queueCallAt(db: Db, call: CurrentCall, scheduledAt: Date, now: Date): Promise<number> {
  const { callId } = await queueCall(db, {
    workspaceId: call.workspaceId,
    campaignId: call.campaignId,
    contactId: call.contactId,
    now,
    scheduledAt,
    // The present call is still open.
    ifAlreadyQueued: 'queue',
    test: call.test,
    metadata: {},
    callbackUrl: null,
  })
  return callId
}
