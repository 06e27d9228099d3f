import type { CallingHours } from '@outdial/contract'
import {
  type CampaignKey,
  lockCampaignsOfQueuedCalls,
  lockCampaignToReschedule,
  tryLockRescheduling,
} from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type CallRules, findCallRules } from '../rules/call-rules.ts'
import { planPermittedCall } from '../rules/plan-call.ts'
import type { CallPlan } from '../scheduling/calling-hours.ts'
import {
  findContactsWithQueuedCalls,
  lockQueuedCalls,
  lockQueuedCallsOfContact,
  markToReschedule,
  type QueuedCall,
  setRescheduleAfter,
  updateNextAttempts,
} from './call-store.ts'
import { completeQueuedCalls, completeUnplacedCalls, noPermittedHour } from './complete-calls.ts'

type ReschedulingDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

/** Small enough that calls can be queued into the campaign between two batches. */
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
 * Does one batch of what `rescheduleCampaign` has left, because a sweeper has other tasks. Returns false if no calls are
 * left, or if another process does a batch of this campaign.
 */
export const continueRescheduling = (deps: ReschedulingDeps, key: CampaignKey): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    if (!(await tryLockRescheduling(tx.db, key))) return false
    tx.notify.callQueued()
    return rescheduleBatch(tx, key)
  })

/** Returns true if calls are left. */
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
    const hours = { callingHours: campaign.callingHours, campaignTimeZone: campaign.timeZone }
    await rescheduleCalls(
      tx,
      key.workspaceId,
      calls.map((call) => ({ ...call, ...hours })),
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
 * Marks the queued calls of a workspace to be planned again after its rules have changed. The sweeper does it in batches. A call that's
 * claimed before follows the rules, too.
 */
export const rescheduleWorkspace = ({ db }: Pick<Deps, 'db'>, workspaceId: number): Promise<void> =>
  markToReschedule(db, workspaceId)

/** Returns those of the contacts that have calls which `rescheduleContact` may move. */
export const findContactsToReschedule = async (
  db: Db,
  workspaceId: number,
  contactIds: readonly number[],
): Promise<Set<number>> =>
  contactIds.length === 0 ? new Set() : findContactsWithQueuedCalls(db, workspaceId, contactIds)

/** What determines when a call can be placed. */
interface ScheduledCall {
  id: number
  campaignId: number
  toNumber: string
  contactTimeZone: string | null
  callingHours: CallingHours
  campaignTimeZone: string
}

async function rescheduleCalls(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  calls: readonly (ScheduledCall & { test: boolean; dueAt: Date })[],
  now: Date,
): Promise<void> {
  const rules = await findCallRules(tx, workspaceId)
  const planned = calls.filter((call) => !call.test).map((call) => ({ ...call, ...plan(rules, call, now) }))
  await updateNextAttempts(
    tx.db,
    planned.filter(({ isNever }) => !isNever),
  )
  const impossibleIds = planned.flatMap(({ id, isNever }) => (isNever ? [id] : []))
  await completeUnplacedCalls(tx, workspaceId, impossibleIds, { ...noPermittedHour, at: now })
}

/** Reschedules calls that are planned for later than now, because they're outside calling hours. Returns the other calls. */
export async function rescheduleClosedCalls<
  PlannedCall extends { id: number; campaignId: number; plan: CallPlan },
>(db: Db, calls: readonly PlannedCall[], now: Date): Promise<PlannedCall[]> {
  const closed = calls.filter(({ plan }) => plan.at > now)
  await updateNextAttempts(
    db,
    closed.map(({ id, campaignId, plan }) => ({ id, campaignId, at: plan.at })),
  )
  return calls.filter(({ plan }) => plan.at <= now)
}

const plan = (rules: CallRules, call: ScheduledCall & { dueAt: Date }, now: Date) =>
  planPermittedCall(
    rules,
    { callingHours: call.callingHours, timeZone: call.campaignTimeZone },
    { phoneNumber: call.toNumber, timeZone: call.contactTimeZone },
    { from: call.dueAt > now ? call.dueAt : now, dueAt: call.dueAt },
  )
