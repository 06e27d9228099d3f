import { ApiError, notFound } from '../core/errors.ts'
import { type CampaignRules, lockCampaign } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { nextCallableAt } from '../scheduling/calling-hours.ts'
import { findCallee, findOpenCalls, insertCall } from './call-store.ts'
import { publishCompletedCalls } from './complete-calls.ts'

export interface QueueRequest {
  workspaceId: number
  campaignId: number
  contactId: number
  now: Date
  /** Not before. Null: as soon as may be. */
  scheduledAt: Date | null
  /** Whether a contact that has an open call in this campaign gets another one. */
  ifAlreadyQueued: 'skip' | 'queue'
  /** A call on the simulated line. Test calls and real ones do not count as each other's open call. */
  test: boolean
  metadata: Record<string, string>
  callbackUrl: string | null
}

/**
 * Queues a call, or finds the open one that it would repeat. A number on the do-not-call list gets a call
 * that is completed as suppressed at once. Runs inside the caller's transaction, in which the contact was
 * upserted: its locked row makes simultaneous requests take turns, and `call_open_once` has the last word.
 *
 * @throws {ApiError} not_found, campaign_archived
 */
export async function queueCall(tx: Db, request: QueueRequest): Promise<{ callId: number; queued: boolean }> {
  const { workspaceId, now } = request
  const campaign = await lockCampaign(tx, workspaceId, request.campaignId, 'share')
  if (campaign === undefined)
    throw notFound('There is no campaign with this id in this workspace.', 'campaign_id')
  if (campaign.status === 'archived') throw campaignArchived()

  const callee = await findCallee(tx, workspaceId, request.contactId)
  if (callee === undefined) throw notFound('There is no contact with this id in this workspace.')

  const dueAt = laterDate(now, request.scheduledAt)
  const nextAttemptAt = callee.do_not_call
    ? null
    : await firstAttemptAt(campaign, callee, request.test, dueAt)
  for (;;) {
    const openCalls = await findOpenCalls(tx, workspaceId, request)
    const [first] = openCalls
    if (first !== undefined && request.ifAlreadyQueued === 'skip') return { callId: first.id, queued: false }
    const inserted = await insertCall(tx, workspaceId, {
      campaignId: campaign.id,
      contactId: request.contactId,
      agentId: campaign.agent_id,
      phoneNumberId: campaign.phone_number_id,
      fromNumber: campaign.from_number,
      toNumber: callee.phone_number,
      test: request.test,
      additional: openCalls.some((call) => !call.additional),
      scheduledAt: request.scheduledAt,
      queuedAt: now,
      dueAt,
      nextAttemptAt,
      metadata: request.metadata,
      callbackUrl: request.callbackUrl,
    })
    // Another transaction, without the contact's lock, was first: its call is to be seen now.
    if (inserted === undefined) continue
    if (callee.do_not_call) await publishCompletedCalls(tx, workspaceId, [inserted.id], now)
    return { callId: inserted.id, queued: true }
  }
}

const laterDate = (now: Date, scheduledAt: Date | null) =>
  scheduledAt !== null && scheduledAt > now ? scheduledAt : now

const firstAttemptAt = (
  campaign: CampaignRules,
  callee: { phone_number: string; time_zone: string | null },
  test: boolean,
  dueAt: Date,
) =>
  test
    ? dueAt
    : nextCallableAt(
        { hours: campaign.calling_hours, timeZone: campaign.time_zone },
        { phoneNumber: callee.phone_number, timeZone: callee.time_zone },
        dueAt,
      )

const campaignArchived = () => {
  const message = 'This campaign is archived and takes no more calls. Choose another campaign.'
  return new ApiError('campaign_archived', message, {
    details: [{ field: 'campaign_id', code: 'campaign_archived', message }],
  })
}
