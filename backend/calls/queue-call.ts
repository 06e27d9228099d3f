import type { CallOrigin } from '../core/actor.ts'
import { fieldError, notFound } from '../core/errors.ts'
import { lockCampaign } from '../db/locks.ts'
import type { Deps } from '../deps.ts'
import { planCall } from '../scheduling/calling-hours.ts'
import { findCallee, findQueuedCallAt, insertCall } from './call-store.ts'
import { completeQueuedCalls } from './complete-calls.ts'

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
  const call = await insertCall(db, workspaceId, {
    campaignId: campaign.id,
    contactId,
    test,
    additional: request.ifAlreadyQueued === 'queue',
    scheduledAt,
    queuedAt: now,
    dueAt,
    nextAttemptAt: test ? dueAt : plan.at,
    metadata: request.metadata,
    origin: request.origin,
    zones: plan.zones,
    zoneSource: plan.source,
  })
  if (call.queued && callee.onDoNotCallList) {
    const result = { outcome: 'suppressed', endedReason: 'do_not_call', at: now } as const
    await completeQueuedCalls(tx, workspaceId, [call.callId], result)
  }
  return call
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
