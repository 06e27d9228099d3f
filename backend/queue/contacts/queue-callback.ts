import { findWorkspaceTimeZone } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { fieldError } from '../../platform/core/errors.ts'
import { type CampaignRules, lockCampaign, lockNumbers } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findCall } from '../calls/get-calls.ts'
import { findNumbersNotAllowed } from '../calls/number-types.ts'
import { moveCall } from '../calls/reschedule-calls.ts'
import { rulesInEffect } from '../rules/call-rules.ts'
import { planPermittedCall } from '../rules/plan-call.ts'
import { formatLocalTime, isTooFarAhead, parseRequestedTime } from '../scheduling/local-time.ts'
import { timeZoneOfContact } from '../scheduling/time-zones.ts'
import { queueCall } from './add-contacts.ts'
import { findHistories } from './contact-store.ts'
import { type ContactDetails, findContactsBy } from './find-contacts.ts'
import { findCallback, isSecondCallback, makeCallback } from './scheduled-callback-store.ts'

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
  /** The time of the call, which is later than requested if calls aren't allowed then. Null if nothing was queued. */
  scheduledTime: Date | null
}

/**
 * Queues another call of the same campaign at the time that the contact asked for. A conversation has at most one scheduled
 * callback, and another request moves it. A scheduled callback can lead to a second one, but not to a third. Otherwise, calls
 * to an answering machine could go on forever.
 *
 * @param request.at ISO 8601. Without an offset, it's in the contact's time zone, or in the campaign's if the contact's is
 *   unknown.
 * @param request.dryRun checks the time and the rules, and queues nothing
 * @throws {ApiError} not_found, validation_failed, with a message for the agent
 */
export const queueCallback = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  call: CurrentCall,
  request: { at: string; dryRun: boolean },
): Promise<ScheduledCallback> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const callable = await lockCallable(tx.db, call)
    const timeZone = timeZoneOfContact(callable.contact) ?? callable.campaign.timeZone
    const requestedTime = requireRequestedTime(request.at, timeZone, now)
    const { workspaceId } = call
    if (await isSecondCallback(tx.db, workspaceId, call.callId)) throw fieldError('at', 'too_many_callbacks')
    await requireAllowed(tx, call, callable, requestedTime)
    if (request.dryRun) return { requestedTime, scheduledTime: null, timeZone }

    const earlier = await findCallback(tx.db, workspaceId, call)
    const { id, queued } = earlier ? { ...earlier, queued: false } : await queueFirst(tx, call, requestedTime)
    if (!queued) await moveCallback(tx, workspaceId, id, { scheduledAt: requestedTime, now })
    return { requestedTime, scheduledTime: await findNextAttempt(tx, workspaceId, id, now), timeZone }
  })

/** Queues the first callback of a conversation. A call that's queued for exactly the same time becomes the callback instead. */
async function queueFirst(
  tx: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  { workspaceId, campaignId, contactId, agentId, callId, test }: CurrentCall,
  scheduledAt: Date,
): Promise<{ id: number; queued: boolean }> {
  const agent = { id: agentId, call_id: callId }
  const origin = { kind: 'scheduled_callback', ...agent } as const
  const { id, queued, suppressedFor } = await queueCall(tx, workspaceId, contactId, {
    call: { campaignId, scheduledAt, ifOpen: 'same_time', ifListed: 'reject', test, metadata: {}, origin },
    actor: { kind: 'agent', ...agent },
  })
  // Rolls back the call. It was suppressed at once, so the agent must not promise it.
  if (suppressedFor !== null) throw fieldError('at', 'not_callable')
  if (!queued) await makeCallback(tx.db, workspaceId, id, origin)
  return { id, queued }
}

async function moveCallback(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  callId: number,
  to: { scheduledAt: Date; now: Date },
): Promise<void> {
  const moved = await moveCall(tx, workspaceId, callId, to)
  if (moved === 'not_queued') throw fieldError('at', 'callback_in_progress')
  if (moved === 'not_callable') throw fieldError('at', 'not_callable')
}

/**
 * Checks the rules for a scheduled callback at a time. Throws the same error for every rule. The usual errors say what a person
 * must change, but an agent can't change it.
 *
 * @throws {ApiError} validation_failed, with a message for the agent
 */
async function requireAllowed(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { workspaceId, test }: CurrentCall,
  { contact, campaign }: Callable,
  at: Date,
): Promise<void> {
  if (test) return
  const { id, phone_number: phoneNumber, time_zone: timeZone } = contact
  const histories = await findHistories(db, workspaceId, [id])
  const history = histories.get(id) ?? { consent: null, use: null }
  const callee = { phoneNumber, timeZone, ...history, isExempt: true }
  const { never } = planPermittedCall(rulesInEffect(config, campaign.rules), campaign, callee, { from: at })
  const notAllowed = await findNumbersNotAllowed(db, workspaceId, [phoneNumber])
  if (never !== null || notAllowed.size > 0) throw fieldError('at', 'not_callable')
}

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

interface Callable {
  contact: ContactDetails
  campaign: CampaignRules
}

/** Locks the contact and the campaign. Opt-outs and other requests about the contact then wait. */
async function lockCallable(
  db: Db,
  { workspaceId, campaignId, contactId, phoneNumber }: CurrentCall,
): Promise<Callable> {
  await lockNumbers(db, workspaceId, [phoneNumber])
  const contact = await requireCallableContact(db, workspaceId, contactId)
  const campaign = await lockCampaign(db, workspaceId, campaignId, 'share')
  if (campaign === undefined) throw fieldError('at', 'not_found.erased')
  if (campaign.status === 'archived') {
    throw fieldError('at', 'campaign_archived.callback')
  }
  return { contact, campaign }
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
