import { queueCall } from '../calls/queue-call.ts'
import { readCall } from '../calls/get-calls.ts'
import { findWaitingCallAt, holdCampaign } from '../calls/call-store.ts'
import { holdContactOfNumber } from '../calls/suppress-store.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { readAskedTime } from './asked-time.ts'
import { findContactBy } from './contact-queries.ts'
import { latestSchedule } from './latest-schedule.ts'
import { localTime } from '../scheduling/local-time.ts'
import { zoneOfContact } from './zone.ts'

/** The call in which somebody asks to be called again. */
export interface PresentCall {
  workspaceId: number
  campaignId: number
  contactId: number
  phoneNumber: string
  test: boolean
}

export interface Callback {
  asked: Date
  /** When the phone rings: later than asked where no call is permitted then. Null where nothing was queued. */
  planned: Date | null
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
export const queueCallback =
  (deps: Deps) =>
  (call: PresentCall, ask: { at: string; dryRun: boolean }): Promise<Callback> =>
    inTransaction(deps, async ({ db, clock, wake }) => {
      const now = clock.now()
      const place = await whereToCall(db, call)
      const asked = readAt(ask.at, place, now)
      if (ask.dryRun) return { asked, planned: null, timeZone: place }

      const { workspaceId, campaignId, contactId, test } = call
      const waiting = await findWaitingCallAt(db, workspaceId, { campaignId, contactId, test, at: asked })
      const callId = waiting?.id ?? (await queueAt(db, call, asked, now))
      const queued = await readCall(db, workspaceId, callId, now)
      wake.dialer()
      const next = queued?.next_attempt_at ?? null
      return { asked, planned: next === null ? asked : new Date(next), timeZone: place }
    })

/** Holds the contact, so that no refusal and no second request comes between, and tells its time zone. */
async function whereToCall(db: Db, call: PresentCall): Promise<string> {
  const { workspaceId, campaignId, contactId, phoneNumber } = call
  await holdContactOfNumber(db, workspaceId, phoneNumber)
  const [contact] = await findContactBy(db, workspaceId, 'id', contactId)
  const campaign = await holdCampaign(db, workspaceId, campaignId, 'to follow')
  if (contact === undefined || campaign === undefined) {
    throw notFound('This contact is no longer kept, so that no call-back can be planned.')
  }
  if (contact.do_not_call) {
    throw invalidField('at', 'do_not_call', 'This number is on the do-not-call list: promise no call-back.')
  }
  if (campaign.status === 'archived') {
    throw invalidField('at', 'campaign_archived', 'This campaign has ended: promise no call-back.')
  }
  return (await zoneOfContact(contact)) ?? campaign.time_zone
}

function readAt(text: string, timeZone: string, now: Date): Date {
  const at = readAskedTime(text, timeZone)
  const clock = `It is ${localTime(now, timeZone)} now.`
  if (at === undefined) {
    const message = `at must be a date and a time, such as ${now.getUTCFullYear()}-12-03T15:30. ${clock}`
    throw invalidField('at', 'invalid_datetime', message)
  }
  if (at <= now) {
    throw invalidField(
      'at',
      'in_the_past',
      `${localTime(at, timeZone)} is past. ${clock} Ask for a later time.`,
    )
  }
  if (at > latestSchedule(now)) {
    const message = `${localTime(at, timeZone)} is more than a year ahead. ${clock} Ask for an earlier time.`
    throw invalidField('at', 'too_far_ahead', message)
  }
  return at
}

async function queueAt(db: Db, call: PresentCall, scheduledAt: Date, now: Date): Promise<number> {
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
