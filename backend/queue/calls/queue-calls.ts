import type { Deps } from '../../deps.ts'
import type { CallOrigin } from '../../platform/core/actor.ts'
import { hourMs } from '../../platform/core/durations.ts'
import type { CampaignRules } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { rulesInEffect } from '../rules/call-rules.ts'
import { type NeverReason, type PlannedCallee, planPermittedCall } from '../rules/plan-call.ts'
import { findLastCalls, insertCalls } from './call-store.ts'
import { completeSuppressedCalls, type SuppressedReason } from './complete-calls.ts'
import type { CallRow } from './find-calls.ts'

/** A call to queue, as it was requested. */
export interface RequestedCall {
  campaignId: number
  /** The earliest time to call, in the future. Null means as soon as possible. */
  scheduledAt: Date | null
  /**
   * Says what to do if the contact already has an open call in this campaign. `skip` returns the open call. `queue` queues
   * another call. `same_time` queues another call unless one is already queued for exactly the same time.
   */
  ifOpen: 'skip' | 'queue' | 'same_time'
  /** Test calls use the simulated provider. An open test call doesn't count as an open real call, or vice versa. */
  test: boolean
  metadata: Record<string, string>
  origin: CallOrigin
  /** True if a member has confirmed that the first attempt doesn't wait, although the number was called often. */
  isExempt?: boolean
}

interface CallToQueue extends RequestedCall {
  contactId: number
  callee: PlannedCallee
  /** True if the number is on the do-not-call list. */
  isListed: boolean
  campaign: CampaignRules
}

/** Why a call is completed as soon as it's queued: the number is on the do-not-call list, or a rule never allows the call. */
type SuppressedAtOnce = Exclude<SuppressedReason, 'number_type_not_allowed'>

export interface QueueResult {
  id: number
  /**
   * False if `id` is an earlier call: an open one that the new call would duplicate, or a suppressed one that it would repeat.
   */
  queued: boolean
  /** The reason why the call was suppressed as soon as it was queued, now or shortly before. Null if it wasn't suppressed. */
  suppressedFor: SuppressedAtOnce | null
  /** The call as the API shows it. Null if the call wasn't queued now or was suppressed, or without `withRows`. */
  row: CallRow | null
}

/**
 * Queues calls, or returns the open calls that they would duplicate, in the same order. If a program repeats a call that was
 * just suppressed, returns the suppressed call. Completes a call as suppressed if its number is on the do-not-call list or a
 * rule never allows it. A contact may occur only once.
 *
 * Call it in a transaction that has locked the campaigns and the contacts. The locks of the contacts make simultaneous requests
 * take turns. Without them, the unique index `call_open_once` prevents duplicates.
 *
 * @param options.withRows also returns the queued calls as the API shows them
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
    const rules = call.test ? null : rulesInEffect(tx.config, call.campaign.rules)
    // A scheduled callback is exempt, because the contact asked for its time. The claim checks later that the contact did so in
    // a real conversation.
    const isExempt = call.isExempt === true || call.origin.kind === 'scheduled_callback'
    const plan = planPermittedCall(rules, call.campaign, { ...call.callee, isExempt }, { from: dueAt })
    return { ...call, dueAt, isExempt, plan }
  })
  const repeated = await findRepeated(tx.db, workspaceId, planned, now)
  const toInsert = planned.filter((call) => !repeated.has(call))
  const rows = toInsert.map(({ contactId, callee, campaign, dueAt, isExempt, plan, ...call }) => {
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
      delayed_by: call.test ? null : plan.delayedBy,
      exempt: isExempt,
      metadata: call.metadata,
      origin: call.origin,
      zones: { time_zones: [...plan.zones], time_zone_source: plan.source },
    }
  })
  const added = await insertCalls(tx.db, workspaceId, rows, now, { withRows })
  const results = new Map<(typeof planned)[number], QueueResult>(repeated)
  for (const [index, call] of toInsert.entries()) {
    const { callId, queued, row } = added[index] ?? missingResult()
    const suppressedFor = queued ? findReasonToSuppress(call) : null
    results.set(call, { id: callId, queued, suppressedFor, row: suppressedFor === null ? row : null })
  }
  const suppressed = toInsert.flatMap((call) => {
    const { id = 0, suppressedFor = null } = results.get(call) ?? {}
    return suppressedFor === null ? [] : [{ id, reason: suppressedFor }]
  })
  await completeSuppressedCalls(tx, workspaceId, suppressed, now)
  const canBeDialed = toInsert.some((call) => {
    const { queued = false, suppressedFor = null } = results.get(call) ?? {}
    const isDue = call.test || (call.campaign.status === 'active' && call.plan.at <= now)
    return queued && suppressedFor === null && isDue
  })
  // Notifies dialers only if needed, because those that look for calls in vain slow down the busy ones.
  if (canBeDialed) tx.notify.callQueued()
  return planned.map((call) => results.get(call) ?? missingResult())
}

function missingResult(): never {
  throw new Error('invariant: a call was neither queued nor found')
}

/** How long programs can't repeat a suppressed call. */
const repetitionMs = hourMs

/**
 * Finds the calls from programs that would be suppressed for the same reason as the contact's last call in the campaign, which
 * ended shortly before. Maps each to that last call. If these calls were queued, a Zap that queues a call after each completed
 * call would run forever, because suppressed calls have events, too.
 */
async function findRepeated<Call extends CallToQueue & { plan: { never: NeverReason | null } }>(
  db: Db,
  workspaceId: number,
  calls: readonly Call[],
  now: Date,
): Promise<Map<Call, QueueResult>> {
  const suppressed = calls.flatMap((call) => {
    const isOfProgram = call.origin.kind === 'api_key' || call.origin.kind === 'app'
    const reason = isOfProgram ? findReasonToSuppress(call) : null
    return reason === null ? [] : [{ call, reason }]
  })
  if (suppressed.length === 0) return new Map()
  const last = await findLastCalls(
    db,
    workspaceId,
    suppressed.map(({ call: { contactId, campaign, test, ifOpen } }) => {
      return { contactId, campaignId: campaign.id, test, skipsOpen: ifOpen !== 'skip' }
    }),
  )
  return new Map(
    suppressed.flatMap(({ call, reason }) => {
      const { contactId, campaign, test } = call
      const found = last.find(
        (each) => each.contactId === contactId && each.campaignId === campaign.id && each.test === test,
      )
      const endedAt = found?.endedAt?.getTime() ?? -Infinity
      if (found?.endedReason !== reason || endedAt <= now.getTime() - repetitionMs) return []
      return [[call, { id: found.id, queued: false, suppressedFor: reason, row: null }] as const]
    }),
  )
}

const findReasonToSuppress = (
  call: Pick<CallToQueue, 'isListed' | 'test'> & { plan: { never: NeverReason | null } },
): SuppressedAtOnce | null => {
  if (call.isListed) return 'do_not_call'
  return call.test ? null : call.plan.never
}
