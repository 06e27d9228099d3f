import { isDeepStrictEqual } from 'node:util'
import type { CallingHours } from '@outdial/contract'
import { findCallsSpecialNumbers } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { isSpecialNumber } from '../../platform/core/phone.ts'
import type { CampaignRequirements } from '../../platform/db/call-rules.ts'
import {
  type CampaignKey,
  lockCampaignsOfQueuedCalls,
  lockCampaignToReschedule,
  tryLockRescheduling,
} from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { type CallRules, doRulesApply, findCallRules, noRules } from '../rules/call-rules.ts'
import { type CampaignLimits, type PermittedPlan, planPermittedCall } from '../rules/plan-call.ts'
import {
  findContactsWithQueuedCalls,
  findQueuedCalls,
  lockDelayedCalls,
  lockQueuedCall,
  lockQueuedCalls,
  lockQueuedCallsOfContact,
  markToReschedule,
  type QueuedCall,
  setRescheduleAfter,
  setSchedule,
  updateNextAttempts,
} from './call-store.ts'
import { completeQueuedCalls, completeSuppressedCalls } from './complete-calls.ts'

type ReschedulingDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

/**
 * The maximum number of calls per transaction. It's low, so that other calls can be queued into the campaign between batches.
 */
const batchSize = 200

/**
 * Applies a campaign's last change to its queued calls. New calling hours reschedule them, and archiving cancels them.
 * Works in batches and saves its progress, so that the sweeper can continue if the process dies. In a transaction, does
 * only the first batch, because the campaign stays locked until the commit. The sweeper does the others.
 */
export async function rescheduleCampaign(deps: ReschedulingDeps, key: CampaignKey): Promise<void> {
  if (deps.db.isTransaction) await rescheduleBatch(deps, key)
  else while (await inTransaction(deps, (tx) => rescheduleBatch(tx, key)));
  deps.notify.callQueued()
}

/**
 * Does only one batch of the work that `rescheduleCampaign` has left, because the sweeper also has other tasks. Returns false
 * if no calls are left, or if another process is doing a batch of this campaign.
 */
export const continueRescheduling = (deps: ReschedulingDeps, key: CampaignKey): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    if (!(await tryLockRescheduling(tx.db, key))) return false
    tx.notify.callQueued()
    return rescheduleBatch(tx, key)
  })

/** Reschedules or cancels the next batch of the campaign's queued calls. Returns true if calls are left. */
async function rescheduleBatch(tx: ReschedulingDeps, key: CampaignKey): Promise<boolean> {
  const campaign = await lockCampaignToReschedule(tx.db, key)
  if (campaign === undefined) return false
  const now = tx.clock.now()
  const calls = await lockQueuedCalls(tx.db, key, campaign.rescheduleAfterCallId, batchSize)
  const last = calls.length < batchSize ? undefined : calls.at(-1)
  await setRescheduleAfter(tx.db, key, last?.id ?? null)
  if (campaign.status === 'archived') {
    await cancelQueuedCalls(tx, key.workspaceId, calls, now)
  } else {
    const { callingHours, timeZone: campaignTimeZone, requires } = campaign
    await rescheduleCalls(
      tx,
      key.workspaceId,
      calls.map((call) => ({ ...call, callingHours, campaignTimeZone, requires })),
      now,
    )
  }
  return last !== undefined
}

async function cancelQueuedCalls(
  tx: ReschedulingDeps,
  workspaceId: number,
  calls: readonly QueuedCall[],
  now: Date,
): Promise<void> {
  const result = { outcome: 'canceled', endedReason: 'campaign_archived', at: now } as const
  const ids = calls.map((call) => call.id)
  await completeQueuedCalls(tx, workspaceId, ids, result)
}

/**
 * Reschedules a contact's queued calls after its time zone has changed. Call it in a transaction, and call
 * `notify.callQueued()` after the commit.
 */
export async function rescheduleContact(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  contactId: number,
  now: Date,
): Promise<void> {
  await lockCampaignsOfQueuedCalls(tx.db, workspaceId, { contactId })
  const calls = await lockQueuedCallsOfContact(tx.db, workspaceId, contactId)
  await rescheduleCalls(tx, workspaceId, calls, now)
}

/**
 * Reschedules queued calls that wait because their number was called often. Call it after an attempt to the number turned out
 * not to have been placed. Uses a separate transaction, because it locks campaigns.
 */
export const rescheduleNumber = (
  deps: ReschedulingDeps,
  workspaceId: number,
  phoneNumber: string,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await lockCampaignsOfQueuedCalls(tx.db, workspaceId, { phoneNumbers: [phoneNumber] })
    // One batch is enough, because one attempt fewer allows only one more call.
    const calls = await lockDelayedCalls(tx.db, workspaceId, phoneNumber, batchSize)
    await rescheduleCalls(tx, workspaceId, calls, tx.clock.now())
    if (calls.length > 0) tx.notify.callQueued()
  })

/**
 * Moves a queued call to another requested time. Changes nothing if the rules allow the call neither then nor later. Call it in
 * a transaction that has locked the contact and, in the mode `share`, the campaign.
 */
export async function moveCall(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  callId: number,
  { scheduledAt, now }: { scheduledAt: Date; now: Date },
): Promise<'moved' | 'not_queued' | 'not_callable'> {
  const call = await lockQueuedCall(tx.db, workspaceId, callId)
  if (call === undefined) return 'not_queued'
  const rules = call.test ? null : await findCallRules(tx, workspaceId)
  const plan = planScheduledCall(rules, { ...call, dueAt: scheduledAt }, now)
  if (plan.never !== null) return 'not_callable'
  await setSchedule(tx.db, callId, {
    scheduledAt,
    at: call.test ? scheduledAt : plan.at,
    delayedBy: plan.delayedBy,
  })
  tx.notify.callQueued()
  return 'moved'
}

/**
 * Marks a workspace's queued calls to be rescheduled. Call it in the transaction that changes the workspace's rules. The
 * sweeper then reschedules the calls in batches. A call that's claimed before then follows the new rules, too.
 */
export const rescheduleWorkspace = ({ db }: Pick<Deps, 'db'>, workspaceId: number): Promise<void> =>
  markToReschedule(db, workspaceId)

/** The maximum count of the calls that a change would end. */
const maxCountedEnds = 1_000

const countedAtOnce = 500

/** The maximum number of calls to check for this count. There's a limit, because a form waits for the count. */
const maxCallsToCheck = 20_000

/** A change to what waiting calls follow: the rules of their workspace, or the limits of one campaign. */
export interface RuleChange {
  rules?: CallRules
  /** True if the workspace calls numbers that cost more. */
  callsSpecialNumbers?: boolean
  campaign?: CampaignLimits & { id: number }
}

const noEnds: CallsToEnd = { count: 0, isAtLeast: false }

const noLimits = { maxAttemptsPerOwnNumber: null, maxMinutesPerMonth: null }

/** The number of waiting calls that a change would end. */
interface CallsToEnd {
  count: number
  /** True if there can be more calls than `count`. */
  isAtLeast: boolean
}

/** Counts the waiting calls of a workspace that a change would end, up to `maxCountedEnds`, among the first `maxChecked`. */
export async function countCallsToEnd(
  { config, db, clock }: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspaceId: number,
  { rules, campaign, callsSpecialNumbers = true }: RuleChange,
  { maxChecked = maxCallsToCheck }: { maxChecked?: number } = {},
): Promise<CallsToEnd> {
  // Unlike rules, the types of numbers are also checked while calls are simulated.
  const endsSpecial = !callsSpecialNumbers && (await findCallsSpecialNumbers(db, workspaceId))
  if (!doRulesApply(config) && !endsSpecial) return noEnds
  const now = clock.now()
  const current = (await findCallRules({ config, db }, workspaceId)) ?? noRules
  const next = doRulesApply(config) ? (rules ?? current) : current
  // A change of only the limits by day and month ends no calls.
  const isSame = isDeepStrictEqual({ ...rules, ...noLimits }, { ...current, ...noLimits })
  if (rules !== undefined && isSame && !endsSpecial) return noEnds
  const changed = campaign && {
    callingHours: campaign.callingHours,
    campaignTimeZone: campaign.timeZone,
    requires: campaign.requires,
  }
  let count = 0
  let checked = 0
  for (let after: QueuedCall | undefined; count < maxCountedEnds && checked < maxChecked;) {
    const scope = { workspaceId, campaignId: campaign?.id, after }
    const limit = Math.min(countedAtOnce, maxChecked - checked)
    const calls = await findQueuedCalls(db, scope, limit)
    count += calls.filter(
      (call) =>
        planScheduledCall(current, call, now).never === null &&
        ((endsSpecial && isSpecialNumber(call.toNumber)) ||
          planScheduledCall(next, { ...call, ...changed }, now).never !== null),
    ).length
    if (calls.length < limit) return { count, isAtLeast: false }
    checked += calls.length
    after = calls.at(-1)
  }
  return { count: Math.min(count, maxCountedEnds), isAtLeast: true }
}

/** Returns which of the contacts have calls that `rescheduleContact` may move. */
export const findContactsToReschedule = async (
  db: Db,
  workspaceId: number,
  contactIds: readonly number[],
): Promise<Set<number>> =>
  contactIds.length === 0 ? new Set() : findContactsWithQueuedCalls(db, workspaceId, contactIds)

/** A queued call, with its campaign's limits. */
interface ScheduledCall extends QueuedCall {
  callingHours: CallingHours
  campaignTimeZone: string
  requires: CampaignRequirements
}

async function rescheduleCalls(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  calls: readonly ScheduledCall[],
  now: Date,
): Promise<void> {
  const rules = await findCallRules(tx, workspaceId)
  const planned = calls
    .filter((call) => !call.test)
    .map(({ id, campaignId, ...call }) => ({ id, campaignId, ...planScheduledCall(rules, call, now) }))
  await updateNextAttempts(
    tx.db,
    planned.filter(({ never }) => never === null),
  )
  const neverPlaced = planned.flatMap(({ id, never }) => (never === null ? [] : [{ id, reason: never }]))
  await completeSuppressedCalls(tx, workspaceId, neverPlaced, now)
}

/**
 * Reschedules calls that are planned for later than now, because a rule or calling hours delay them. Returns the other calls.
 */
export async function rescheduleDelayedCalls<
  PlannedCall extends { id: number; campaignId: number; plan: PermittedPlan },
>(db: Db, calls: readonly PlannedCall[], now: Date): Promise<PlannedCall[]> {
  const delayed = calls.filter(({ plan }) => plan.at > now)
  await updateNextAttempts(
    db,
    delayed.map(({ id, campaignId, plan: { at, delayedBy } }) => ({ id, campaignId, at, delayedBy })),
  )
  return calls.filter(({ plan }) => plan.at <= now)
}

const planScheduledCall = (
  rules: CallRules | null,
  call: Omit<ScheduledCall, 'id' | 'campaignId'>,
  now: Date,
): PermittedPlan =>
  planPermittedCall(
    rules,
    { callingHours: call.callingHours, timeZone: call.campaignTimeZone, requires: call.requires },
    {
      phoneNumber: call.toNumber,
      timeZone: call.contactTimeZone,
      consent: call.consent,
      use: call.use,
      isExempt: call.exempt && call.attempts === 0,
    },
    { from: call.dueAt > now ? call.dueAt : now, dueAt: call.dueAt },
  )
