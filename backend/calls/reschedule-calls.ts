import { sql } from 'kysely'
import { type CampaignKey, type CampaignToReschedule, lockCampaignToReschedule } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type CallingRules, nextCallableAt } from '../scheduling/calling-hours.ts'
import {
  lockQueuedCalls,
  lockQueuedCallsOfContact,
  type QueuedCall,
  setRescheduleAfter,
} from './call-store.ts'
import { completeQueuedCalls, publishCompletedCalls } from './complete-calls.ts'

/** Small enough that queueing into the campaign hardly notices. */
const batchSize = 200

/**
 * Makes what waits in a campaign follow its last change: new hours move it, archiving completes it as canceled.
 * Works in batches and remembers where it stands, so that the sweeper ends what a dead process began.
 */
export async function rescheduleCampaign(deps: Deps, key: CampaignKey): Promise<void> {
  while (await inTransaction(deps, (tx) => rescheduleBatch(tx, key)));
  deps.notify.callQueued()
}

/** Whether there is more to do. */
async function rescheduleBatch(tx: Deps, key: CampaignKey): Promise<boolean> {
  const campaign = await lockCampaignToReschedule(tx.db, key)
  if (campaign === undefined) return false
  const now = tx.clock.now()
  const calls = await lockQueuedCalls(tx.db, key, campaign.reschedule_after_call_id, batchSize)
  const last = calls.length < batchSize ? undefined : calls.at(-1)
  await setRescheduleAfter(tx.db, key, last?.id ?? null)
  if (campaign.status === 'archived') await cancelQueuedCalls(tx, key.workspaceId, calls, now)
  if (campaign.status !== 'archived') await rescheduleCalls(tx.db, toCallingRules(campaign), calls, now)
  return last !== undefined
}

const toCallingRules = (campaign: CampaignToReschedule): CallingRules => ({
  hours: campaign.calling_hours,
  timeZone: campaign.time_zone,
})

async function cancelQueuedCalls(
  tx: Deps,
  workspaceId: number,
  calls: readonly QueuedCall[],
  now: Date,
): Promise<void> {
  const result = { outcome: 'canceled', endedReason: 'campaign_archived', at: now } as const
  const ids = calls.map((call) => call.id)
  await publishCompletedCalls(
    tx.db,
    workspaceId,
    await completeQueuedCalls(tx.db, workspaceId, ids, result),
    now,
  )
  tx.notify.deliveryQueued()
}

async function rescheduleCalls(
  tx: Db,
  rules: CallingRules,
  calls: readonly QueuedCall[],
  now: Date,
): Promise<void> {
  const changes = await Promise.all(
    calls
      .filter((call) => !call.test)
      .map(async (call) => ({ id: call.id, to: await callableAt(rules, call, now) })),
  )
  await updateNextAttempts(tx, changes)
}

const callableAt = (rules: CallingRules, call: QueuedCall, now: Date): Promise<Date> =>
  nextCallableAt(
    rules,
    { phoneNumber: call.to_number, timeZone: call.contact_time_zone },
    call.due_at > now ? call.due_at : now,
  )

/**
 * Moves a contact's waiting calls to the hours of its time zone, after that has changed, in the caller's
 * transaction. Wake the dialer after the commit.
 */
export async function rescheduleContact(
  tx: Db,
  contact: { workspaceId: number; contactId: number; now: Date },
): Promise<void> {
  const calls = await lockQueuedCallsOfContact(tx, contact.workspaceId, contact.contactId)
  for (const call of calls) {
    const rules = { hours: call.calling_hours, timeZone: call.campaign_time_zone }
    await rescheduleCalls(tx, rules, [call], contact.now)
  }
}

/** Moves calls whose hours have closed since they became due. */
export async function updateNextAttempts(
  tx: Db,
  changes: readonly { id: number; to: Date }[],
): Promise<void> {
  await sql`
    update call set next_attempt_at = move.at
    from unnest(${changes.map((change) => change.id)}::bigint[], ${changes.map((change) => change.to)}::timestamptz[]) as move (id, at)
    where call.id = move.id and call.status = 'queued'`.execute(tx)
}
