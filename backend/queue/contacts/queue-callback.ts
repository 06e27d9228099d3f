import { findWorkspaceTimeZone } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { fieldError } from '../../platform/core/errors.ts'
import { lockCampaign, lockNumbers } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findCall } from '../calls/get-calls.ts'
import { moveCall } from '../calls/reschedule-calls.ts'
import { formatLocalTime, isTooFarAhead, parseRequestedTime } from '../scheduling/local-time.ts'
import { timeZoneOfContact } from '../scheduling/time-zones.ts'
import { queueCall } from './add-contacts.ts'
import { type ContactDetails, findContactsBy } from './find-contacts.ts'
import { findCallback, isSecondCallback } from './scheduled-callback-store.ts'

/** The call in which a contact asks to be called again. */
interface CurrentCall {
  callId: number
  agentId: number
  workspaceId: number
  campaignId: number
  contactId: number
  phoneNumber: string
  test: boolean
}

export interface RequestedCallback {
  requestedTime: Date
  /** The contact's time zone. If that's unknown, the campaign's, or the workspace's in a chat. */
  timeZone: string
}

export interface ScheduledCallback extends RequestedCallback {
  /** The time of the call, which is later than requested if that's outside calling hours. Null if nothing was queued. */
  scheduledTime: Date | null
}

/**
 * Queues another call of the same campaign at the time that the contact asked for. A conversation has at most one callback:
 * another request moves it. A callback can lead to a second one, but not to a third: against a machine that answers, that would
 * never end.
 *
 * @param request.at ISO 8601; without an offset, the contact's local time, or the campaign's if that is
 *   unknown
 * @param request.dryRun checks everything and queues nothing
 * @throws {ApiError} not_found, validation_failed, with a message for the agent
 */
export const queueCallback = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  call: CurrentCall,
  request: { at: string; dryRun: boolean },
): Promise<ScheduledCallback> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const timeZone = await requireCallableTimeZone(tx.db, call)
    const requestedTime = requireRequestedTime(request.at, timeZone, now)
    const { workspaceId, campaignId, contactId, agentId, test } = call
    if (await isSecondCallback(tx.db, workspaceId, call.callId)) throw fieldError('at', 'too_many_callbacks')
    if (request.dryRun) return { requestedTime, scheduledTime: null, timeZone }

    const earlier = await findCallback(tx.db, workspaceId, call)
    if (earlier !== undefined) {
      const moved = await moveCall(tx, workspaceId, earlier.id, { scheduledAt: requestedTime, now })
      if (moved === 'not_queued') throw fieldError('at', 'callback_in_progress')
      if (moved === 'not_callable') throw fieldError('at', 'not_callable')
      return {
        requestedTime,
        scheduledTime: await findNextAttempt(tx, workspaceId, earlier.id, now),
        timeZone,
      }
    }
    const callback = {
      campaignId,
      scheduledAt: requestedTime,
      ifOpen: 'same_time',
      ifListed: 'reject',
      test,
      metadata: {},
      origin: { kind: 'scheduled_callback', id: agentId, call_id: call.callId },
    } as const
    const queued = await queueCall(tx, workspaceId, contactId, {
      call: callback,
      actor: { kind: 'agent', id: agentId, call_id: call.callId },
    })
    // Rolls back: no call is better than one that ended before the agent has promised it.
    if (queued.suppressedFor !== null) throw fieldError('at', 'not_callable')
    return { requestedTime, scheduledTime: await findNextAttempt(tx, workspaceId, queued.id, now), timeZone }
  })

/**
 * Checks the time of a callback that's requested in a chat. A chat has no campaign, so nothing is queued.
 *
 * @param request.contactId undefined if the chat has no contact
 * @param request.at as in {@link queueCallback}
 * @throws {ApiError} not_found, validation_failed, with a message for the agent
 */
export async function checkCallbackTime(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  { contactId, at }: { contactId: number | undefined; at: string },
): Promise<RequestedCallback> {
  const contact =
    contactId === undefined ? undefined : await requireCallableContact(db, workspaceId, contactId)
  const timeZone = (contact && timeZoneOfContact(contact)) ?? (await findWorkspaceTimeZone(db, workspaceId))
  return { requestedTime: requireRequestedTime(at, timeZone, clock.now()), timeZone }
}

async function findNextAttempt(
  tx: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  callId: number,
  now: Date,
): Promise<Date | null> {
  const call = await findCall(tx, workspaceId, callId, now)
  const nextAttemptAt = call?.next_attempt_at ?? null
  return nextAttemptAt === null ? null : new Date(nextAttemptAt)
}

/** Locks the contact, so that opt-outs and other requests wait, and returns its time zone. */
async function requireCallableTimeZone(db: Db, call: CurrentCall): Promise<string> {
  const { workspaceId, campaignId, contactId, phoneNumber } = call
  await lockNumbers(db, workspaceId, [phoneNumber])
  const contact = await requireCallableContact(db, workspaceId, contactId)
  const campaign = await lockCampaign(db, workspaceId, campaignId, 'share')
  if (campaign === undefined) throw fieldError('at', 'not_found.erased')
  if (campaign.status === 'archived') {
    throw fieldError('at', 'campaign_archived.callback')
  }
  return timeZoneOfContact(contact) ?? campaign.timeZone
}

async function requireCallableContact(
  db: Db,
  workspaceId: number,
  contactId: number,
): Promise<ContactDetails> {
  const [contact] = await findContactsBy(db, workspaceId, 'id', contactId)
  if (contact === undefined) throw fieldError('at', 'not_found.erased')
  if (contact.do_not_call) throw fieldError('at', 'do_not_call')
  return contact
}

function requireRequestedTime(text: string, timeZone: string, now: Date): Date {
  const at = parseRequestedTime(text, timeZone)
  const current = formatLocalTime(now, timeZone)
  if (at === undefined) {
    const example = `${now.getUTCFullYear()}-12-03T15:30`
    throw fieldError('at', 'invalid_datetime.callback', { example, now: current })
  }
  const values = { time: formatLocalTime(at, timeZone), now: current }
  if (at <= now) throw fieldError('at', 'in_the_past', values)
  if (isTooFarAhead(at, now)) throw fieldError('at', 'too_far_ahead.callback', values)
  return at
}
