import { completeQueuedCalls, publishCompletedCalls } from '../calls/complete-calls.ts'
import { updateNextAttempts } from '../calls/reschedule-calls.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { nextCallableAt } from '../scheduling/calling-hours.ts'
import type { DialRequest } from '../telephony/provider.ts'
import {
  type CallToDial,
  countCapacity,
  lockClaimableCampaigns,
  lockDueCalls,
  lockDueTestCalls,
  markServed,
  type NewAttempt,
  startAttempts,
} from './claim-store.ts'
import { shareCapacity } from './share-capacity.ts'
import type { AttemptProgress } from './supervise.ts'

/** Whose attempts are leased, on which line, for how long by the database's clock. */
export interface Lease {
  provider: string
  workerId: string
  leaseMs: number
}

/** An attempt that this worker has committed and must now make. */
export interface ClaimedAttempt {
  id: string
  /** What the holder of the lease writes with: whoever takes the attempt over grows it. */
  fence: number
  workspaceId: number
  campaignId: number
  test: boolean
  /** `performance.now()` from before the lease began: the lease surely runs until this plus its length. */
  leasedAt: number
  request: DialRequest
  /** Where it was begun by another worker: how far it has come. */
  takenOver?: AttemptProgress
}

/**
 * Claims at most `room` calls, in one transaction each time: never more of a campaign than its limit, one live
 * attempt per number and workspace, nobody on the do-not-call list, nobody out of hours.
 */
export const claimCalls = (deps: Deps, lease: Lease, capacity: number): Promise<ClaimedAttempt[]> =>
  repeatUntilClaimed(deps, async (tx) => {
    const now = tx.clock.now()
    const campaigns = await lockClaimableCampaigns(tx.db, now)
    if (campaigns.length === 0) return undefined
    const counted = await countCapacity(tx.db, campaigns, capacity, now)
    const shares = shareCapacity(capacity, counted)
    // Whoever could take some and got none keeps the place in the line.
    const served = counted.filter(({ id, free, due }) => shares.has(id) || free <= 0 || due === 0)
    await markServed(
      tx.db,
      served.map(({ id }) => id),
    )
    const locked = shares.size === 0 ? [] : await lockDueCalls(tx.db, shares, now)
    const callable = await rescheduleClosed(tx, await completeSuppressed(tx, locked, now), now)
    return startLockedCalls(tx, lease, { locked, callable, test: false })
  })

/** Claims at most `room` test calls: no hours, no limits, no numbers that are busy. */
export const claimTestCalls = (deps: Deps, lease: Lease, capacity: number): Promise<ClaimedAttempt[]> =>
  repeatUntilClaimed(deps, async (tx) => {
    const now = tx.clock.now()
    const locked = await lockDueTestCalls(tx.db, capacity, now)
    const callable = await completeSuppressed(tx, locked, now)
    return startLockedCalls(tx, lease, { locked, callable, test: true })
  })

/** Undefined where there was nothing to decide; empty where everything was decided without a call. */
type ClaimResult = ClaimedAttempt[] | undefined

/** A batch may hold nothing but closed and refused calls: those behind them must not wait for the next look. */
async function repeatUntilClaimed(
  deps: Deps,
  claim: (deps: Deps) => Promise<ClaimResult>,
): Promise<ClaimedAttempt[]> {
  for (;;) {
    const claimed = await inTransaction(deps, claim)
    if (claimed === undefined) return []
    if (claimed.length > 0) return claimed
  }
}

/** Completes the calls to numbers on the do-not-call list; returns the others. */
async function completeSuppressed(tx: Deps, locked: readonly CallToDial[], now: Date): Promise<CallToDial[]> {
  const result = { outcome: 'suppressed', endedReason: 'do_not_call', at: now } as const
  const suppressed = Map.groupBy(
    locked.filter((call) => call.do_not_call),
    (call) => call.workspace_id,
  )
  for (const [workspaceId, calls] of suppressed) {
    const ids = calls.map((call) => call.id)
    await publishCompletedCalls(
      tx.db,
      workspaceId,
      await completeQueuedCalls(tx.db, workspaceId, ids, result),
      now,
    )
  }
  if (suppressed.size > 0) tx.notify.deliveryQueued()
  return locked.filter((call) => !call.do_not_call)
}

/** Moves the calls whose hours are closed to when they open; returns the others. */
async function rescheduleClosed(tx: Deps, calls: readonly CallToDial[], now: Date): Promise<CallToDial[]> {
  const planned = await Promise.all(
    calls.map(async (call) => ({
      call,
      at: await nextCallableAt(
        { hours: call.calling_hours, timeZone: call.campaign_time_zone },
        { phoneNumber: call.to_number, timeZone: call.contact_time_zone },
        now,
      ),
    })),
  )
  const changes = planned.filter(({ at }) => at > now).map(({ call, at }) => ({ id: call.id, to: at }))
  if (changes.length > 0) await updateNextAttempts(tx.db, changes)
  return planned.filter(({ at }) => at <= now).map(({ call }) => call)
}

async function startLockedCalls(
  tx: Deps,
  lease: Lease,
  batch: { locked: readonly CallToDial[]; callable: readonly CallToDial[]; test: boolean },
): Promise<ClaimResult> {
  const { locked, callable, test } = batch
  if (locked.length === 0) return undefined
  if (callable.length === 0) return []
  const leasedAt = performance.now()
  const ids = callable.map((call) => call.id)
  // Now, not when the claim began: the number's last attempt may have ended in between.
  const attempts = await startAttempts(tx.db, ids, { ...lease, now: tx.clock.now() })
  // Nothing but numbers that another dialer was first to call: they wait.
  if (attempts.length === 0 && callable.length === locked.length) return undefined
  const byId = new Map(callable.map((call) => [call.id, call]))
  return attempts.flatMap((attempt) => {
    const call = byId.get(attempt.call_id)
    return call === undefined ? [] : [toClaimedAttempt(call, attempt, test, leasedAt)]
  })
}

/** What the dialer and its line are given of an attempt. */
export const toClaimedAttempt = (
  call: CallToDial,
  attempt: NewAttempt,
  test: boolean,
  leasedAt: number,
): ClaimedAttempt => ({
  id: attempt.id,
  fence: attempt.fence,
  workspaceId: call.workspace_id,
  campaignId: call.campaign_id,
  test,
  leasedAt,
  request: {
    attemptId: attempt.id,
    callId: call.id,
    number: attempt.number,
    fromNumber: call.from_number,
    toNumber: call.to_number,
    agent: {
      widgetId: call.widget_id,
      name: call.agent_name,
      language: call.language,
      greeting: call.greeting,
    },
    campaignName: call.campaign_name,
    scheduled: call.scheduled_at !== null,
    contact: { firstName: call.first_name, lastName: call.last_name, variables: call.variables },
  },
})
