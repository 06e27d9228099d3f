import type { CallOrigin } from '../core/actor.ts'
import { fieldError, notFound } from '../core/errors.ts'
import { lockCampaign } from '../db/locks.ts'
import type { Deps } from '../deps.ts'
import { planCall } from '../scheduling/calling-hours.ts'
import { findCallee, findOpenCalls, findQueuedCallAt, insertCall } from './call-store.ts'
import { publishCompletedCalls } from './complete-calls.ts'

interface QueueRequest {
  campaignId: number
  contactId: number
  now: Date
  /** The earliest time to call, in the future. Null means as soon as possible. */
  scheduledAt: Date | null
  /** What to do if the contact already has an open call in this campaign. */
  ifAlreadyQueued: 'skip' | 'queue'
  /** Test calls use the simulated provider. An open test call doesn't count as an open real call, or vice versa. */
  test: boolean
  metadata: Record<string, string>
  origin: CallOrigin
}

/**
 * Queues a call, or returns the open call that it would duplicate. A call to a number on the do-not-call list is
 * immediately completed as suppressed.
 *
 * Call it in a transaction that has locked the contact, so that simultaneous requests take turns. If a transaction
 * hasn't, the unique index `call_open_once` prevents duplicates.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function queueCall(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  request: QueueRequest,
): Promise<{ callId: number; queued: boolean }> {
  const { db } = tx
  const { contactId, test, scheduledAt, now } = request
  const campaign = await lockCampaign(db, workspaceId, request.campaignId, 'share')
  if (campaign === undefined) throw fieldError('campaign_id', 'not_found.object', { object: 'campaign' })
  if (campaign.status === 'archived') throw fieldError('campaign_id', 'campaign_archived')

  const callee = await findCallee(db, workspaceId, contactId)
  if (callee === undefined) throw notFound('contact')

  const dueAt = scheduledAt ?? now
  const plan = planCall(campaign, callee, dueAt)
  const callableAt = test ? dueAt : plan.at
  for (;;) {
    const openCalls = await findOpenCalls(db, workspaceId, request)
    const [first] = openCalls
    if (first !== undefined && request.ifAlreadyQueued === 'skip') return { callId: first.id, queued: false }
    const inserted = await insertCall(db, workspaceId, {
      campaignId: campaign.id,
      contactId,
      agentId: campaign.agentId,
      phoneNumberId: campaign.phoneNumberId,
      fromNumber: campaign.fromNumber,
      toNumber: callee.phoneNumber,
      test,
      additional: openCalls.some((call) => !call.additional),
      scheduledAt,
      queuedAt: now,
      dueAt,
      nextAttemptAt: callee.onDoNotCallList ? null : callableAt,
      metadata: request.metadata,
      origin: request.origin,
      zones: plan.zones,
      zoneSource: plan.source,
    })
    // Another transaction, which hadn't locked the contact, was first. Its call is visible now.
    if (inserted === undefined) continue
    if (callee.onDoNotCallList) await publishCompletedCalls(tx, workspaceId, [inserted.id], now)
    return { callId: inserted.id, queued: true }
  }
}

/**
 * Queues a call for a given time, even if the contact already has open calls. If a queued call is already scheduled
 * for exactly this time, returns that call instead. Call it in a transaction, like `queueCall`.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function queueScheduledCall(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  request: Omit<QueueRequest, 'ifAlreadyQueued'> & { scheduledAt: Date },
): Promise<number> {
  const queued = await findQueuedCallAt(tx.db, workspaceId, request)
  if (queued !== undefined) return queued.id
  return (await queueCall(tx, workspaceId, { ...request, ifAlreadyQueued: 'queue' })).callId
}
