import type { CallOrigin } from '../core/actor.ts'
import type { CampaignRules } from '../db/locks.ts'
import type { Deps } from '../deps.ts'
import { noRules, rulesInEffect } from '../rules/call-rules.ts'
import { planPermittedCall } from '../rules/plan-call.ts'
import type { Callee } from '../scheduling/calling-hours.ts'
import { insertCalls } from './call-store.ts'
import { completeQueuedCalls } from './complete-calls.ts'
import type { CallRow } from './find-calls.ts'

/** What is asked for when a call is queued. */
export interface RequestedCall {
  campaignId: number
  /** The earliest time to call, in the future. Null means as soon as possible. */
  scheduledAt: Date | null
  /**
   * What to do if the contact already has an open call in this campaign. `skip` returns that one, `queue` queues another
   * one, and `same_time` does so unless one is queued for exactly the same time.
   */
  ifOpen: 'skip' | 'queue' | 'same_time'
  /** Test calls use the simulated provider. An open test call doesn't count as an open real call, or vice versa. */
  test: boolean
  metadata: Record<string, string>
  origin: CallOrigin
}

interface CallToQueue extends RequestedCall {
  contactId: number
  callee: Callee
  /** True if the number is on the do-not-call list. */
  isListed: boolean
  campaign: CampaignRules
}

/** The number is on the do-not-call list, or the law and the campaign have no hour in common. */
export type SuppressedAtOnce = 'do_not_call' | 'no_permitted_hour'

export interface QueueResult {
  id: number
  /** False if it's the open call that another one would duplicate. */
  queued: boolean
  /** Why it was completed at once; null if it wasn't. */
  suppressedFor: SuppressedAtOnce | null
  /** The call as the API shows it. Null if it wasn't queued now, was suppressed, or wasn't asked for. */
  row: CallRow | null
}

/**
 * Queues calls, or returns the open calls that they would duplicate, in the same order. Completes calls to numbers on the
 * do-not-call list as suppressed, and those that have no permitted hour. A contact may occur only once.
 *
 * Call it in a transaction that has locked the contacts, so that simultaneous requests take turns, and the campaigns. If it
 * hasn't locked the contacts, the unique index `call_open_once` prevents duplicates.
 *
 * @param options.withRows returns what the API shows of the calls that are queued
 */
export async function queueCalls(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  calls: readonly CallToQueue[],
  now: Date,
  { withRows = false }: { withRows?: boolean } = {},
): Promise<QueueResult[]> {
  if (calls.length === 0) return []
  const planned = calls.map((call) => {
    const dueAt = call.scheduledAt ?? now
    const rules = call.test ? noRules : rulesInEffect(tx.config, call.campaign.rules)
    return { ...call, dueAt, plan: planPermittedCall(rules, call.campaign, call.callee, { from: dueAt }) }
  })
  const rows = planned.map(({ contactId, callee, campaign, dueAt, plan, ...call }) => {
    return {
      contact_id: contactId,
      campaign_id: campaign.id,
      agent_id: campaign.agentId,
      phone_number_id: campaign.phoneNumberId,
      from_number: campaign.fromNumber,
      to_number: callee.phoneNumber,
      test: call.test,
      if_open: call.ifOpen,
      scheduled_at: call.scheduledAt,
      due_at: dueAt,
      next_attempt_at: call.test ? dueAt : plan.at,
      metadata: call.metadata,
      origin: call.origin,
      zones: { time_zones: [...plan.zones], time_zone_source: plan.source },
    }
  })
  const added = await insertCalls(tx.db, workspaceId, rows, now, { withRows })
  const queued = added.map(({ callId, queued: isNew, row }, index) => {
    const suppressedFor = isNew ? findReasonToSuppress(planned[index]) : null
    return { id: callId, queued: isNew, suppressedFor, row: suppressedFor === null ? row : null }
  })
  for (const [endedReason, suppressed] of Map.groupBy(queued, ({ suppressedFor }) => suppressedFor)) {
    if (endedReason === null) continue
    const ids = suppressed.map(({ id }) => id)
    await completeQueuedCalls(tx, workspaceId, ids, { outcome: 'suppressed', endedReason, at: now })
  }
  tx.notify.callQueued()
  return queued
}

const findReasonToSuppress = (
  call: { isListed: boolean; plan: { isNever: boolean } } | undefined,
): SuppressedAtOnce | null => {
  if (call?.isListed === true) return 'do_not_call'
  return call?.plan.isNever === true ? 'no_permitted_hour' : null
}
