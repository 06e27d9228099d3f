import type { EndedReason } from '@outdial/contract'
import { findSettingChanges } from '../calls/call-settings.ts'
import { completeQueuedCalls, completeUnplacedCalls, noPermittedHour } from '../calls/complete-calls.ts'
import { resolveFallbacks } from '../calls/greeting.ts'
import { findNumbersNotAllowed } from '../calls/number-types.ts'
import { rescheduleClosedCalls } from '../calls/reschedule-calls.ts'
import { describeError } from '../core/errors.ts'
import type { CallSettings } from '../db/tables/call-tables.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { isCountryAllowed, noRules, rulesInEffect } from '../rules/call-rules.ts'
import { type PermittedPlan, planPermittedCall } from '../rules/plan-call.ts'
import { toLocalIsoTime } from '../scheduling/local-time.ts'
import type { DialRequest } from '../telephony/provider.ts'
import type { AttemptProgress } from './attempt-state.ts'
import {
  type CallToCheck,
  type CallToDial,
  countCapacity,
  type DialedCall,
  findCallsToDial,
  lockDueCalls,
  lockDueTestCalls,
  lockNextCampaigns,
  maxCampaigns,
  type NewAttempt,
  settleCampaigns,
  startAttempts,
  type Turns,
} from './claim-store.ts'
import { shareCapacity } from './share-capacity.ts'

/** The worker and provider that attempts are leased to, and for how long by the database's clock. */
export interface Lease {
  provider: string
  workerId: string
  leaseMs: number
}

/** An attempt that is committed and leased to this worker, which must now run it. */
export interface ClaimedAttempt {
  id: string
  /** Increases when another worker takes over the attempt; writes with an older fence are stale. */
  fence: number
  workspaceId: number
  campaignId: number
  test: boolean
  /** `performance.now()` just before the lease began. The lease lasts at least until this time plus its length. */
  leaseStartedMs: number
  request: DialRequest
  /** The attempt's progress, if another worker started it. */
  takenOver?: AttemptProgress
}

/** What claiming calls needs. */
export type ClaimDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'log'>

/**
 * Claims at most `capacity` calls in one transaction:
 *
 * - A campaign never exceeds its limit of concurrent calls.
 * - A number has at most one live attempt per workspace.
 * - Calls outside calling hours, to numbers on the do-not-call list, and to numbers of types or countries that the workspace
 *   doesn't call aren't claimed.
 * - Workspaces take turns. `turns` is what the dialer remembers about them.
 *
 * Resolves before the next turns of the campaigns are settled (`turns.settled`), so that the calls can be dialed at once.
 */
export const claimCalls = (
  deps: ClaimDeps,
  lease: Lease,
  capacity: number,
  turns: Turns,
): Promise<ClaimedAttempt[]> =>
  repeatUntilClaimed(async () => {
    await turns.settled
    const now = deps.clock.now()
    const { claimed, campaigns, served } = await inTransaction(deps, async (tx) =>
      claimFromCampaigns(tx, lease, { campaigns: await lockNextCampaigns(tx.db, now, turns), capacity, now }),
    )
    if (campaigns.length > 0) turns.settled = settleTurns(deps, campaigns, served, now)
    // Behind campaigns that turned out to have no call, others can have one.
    return claimed === 'nothing_to_claim' && campaigns.length === maxCampaigns ? 'claim_again' : claimed
  })

/** Claims calls of locked campaigns. `served` are those that have had their turn. */
async function claimFromCampaigns(
  tx: ClaimDeps,
  lease: Lease,
  { campaigns, capacity, now }: { campaigns: number[]; capacity: number; now: Date },
): Promise<{ claimed: ClaimResult; campaigns: number[]; served: number[] }> {
  if (campaigns.length === 0) return { claimed: 'nothing_to_claim', campaigns, served: [] }
  const counted = await countCapacity(tx.db, campaigns, capacity, now)
  const shares = shareCapacity(capacity, counted)
  const found = shares.size === 0 ? [] : await findCallsToDial(tx.db, await lockDueCalls(tx.db, shares, now))
  const locked = planCalls(tx, found, { test: false, now })
  const allowed = await completeSuppressed(tx, locked, { test: false, now })
  const callable = await rescheduleClosedCalls(tx.db, allowed, now)
  const claimed = await startLockedCalls(tx, lease, { locked, callable, test: false })
  // A campaign that could start calls but got no share keeps its place in the queue.
  const served = counted.filter(({ id, free, due }) => shares.has(id) || free <= 0 || due === 0)
  // The calls of all campaigns with a share can be to numbers that are being called.
  const isAnotherNext = claimed === 'nothing_to_claim' && served.length < counted.length
  return { claimed: isAnotherNext ? 'claim_again' : claimed, campaigns, served: served.map(({ id }) => id) }
}

/**
 * Decides when the next turn of the campaigns comes. Requests that queue calls can wait for its locks, so it's a statement
 * of its own after the commit, which never waits for this process. The claimed attempts must run in any case. If this
 * fails, the campaigns keep their places in the queue.
 */
async function settleTurns(
  deps: ClaimDeps,
  campaigns: readonly number[],
  served: readonly number[],
  now: Date,
): Promise<void> {
  try {
    await settleCampaigns(deps.db, campaigns, served, now)
  } catch (error) {
    deps.log.error({ error: describeError(error) }, 'failed to settle the turns of campaigns')
  }
}

/** Claims at most `capacity` test calls. Calling hours and limits don't apply to them. */
export const claimTestCalls = (deps: ClaimDeps, lease: Lease, capacity: number): Promise<ClaimedAttempt[]> =>
  repeatUntilClaimed(() =>
    inTransaction(deps, async (tx) => {
      const now = tx.clock.now()
      const found = await findCallsToDial(tx.db, await lockDueTestCalls(tx.db, capacity, now))
      const locked = planCalls(tx, found, { test: true, now })
      const callable = await completeSuppressed(tx, locked, { test: true, now })
      return startLockedCalls(tx, lease, { locked, callable, test: true })
    }),
  )

/** `claim_again` if calls left the queue but no attempt started. Other calls may be due behind them. */
type ClaimResult = ClaimedAttempt[] | 'nothing_to_claim' | 'claim_again'

/** After so many, the worker waits for the next poll. */
const maxRounds = 100

/** Claims again after a batch that started no call, so that the calls behind it don't wait for the next poll. */
async function repeatUntilClaimed(claim: () => Promise<ClaimResult>): Promise<ClaimedAttempt[]> {
  for (let round = 1; round <= maxRounds; round += 1) {
    const claimed = await claim()
    if (claimed === 'nothing_to_claim') return []
    if (claimed !== 'claim_again') return claimed
  }
  return []
}

/** A locked call, and when it can be placed. */
type PlannedCall = CallToCheck & { plan: PermittedPlan }

const planCalls = (
  { config }: ClaimDeps,
  calls: readonly CallToCheck[],
  { test, now }: { test: boolean; now: Date },
): PlannedCall[] =>
  calls.map((call) => {
    const rules = test ? noRules : rulesInEffect(config, call.rules)
    const campaign = { callingHours: call.callingHours, timeZone: call.campaignTimeZone }
    const callee = { phoneNumber: call.toNumber, timeZone: call.contactTimeZone }
    return {
      ...call,
      rules,
      plan: planPermittedCall(rules, campaign, callee, { from: now, dueAt: call.dueAt }),
    }
  })

/** Completes the calls that must not be placed; returns the others. */
async function completeSuppressed(
  tx: ClaimDeps,
  locked: readonly PlannedCall[],
  { test, now }: { test: boolean; now: Date },
): Promise<PlannedCall[]> {
  const completed = new Set<PlannedCall>()
  for (const [workspaceId, calls] of Map.groupBy(locked, (call) => call.workspaceId)) {
    const numbers = test ? [] : calls.map((call) => call.toNumber)
    const notAllowed = await findNumbersNotAllowed(tx.db, workspaceId, numbers)
    const findReason = (call: PlannedCall): EndedReason | null => {
      if (call.onDoNotCallList) return 'do_not_call'
      if (notAllowed.has(call.toNumber)) return 'number_type_not_allowed'
      if (!isCountryAllowed(call.rules, call.toNumber)) return 'destination_not_allowed'
      return call.plan.isNever ? noPermittedHour.endedReason : null
    }
    for (const [endedReason, suppressed] of Map.groupBy(calls, findReason)) {
      if (endedReason === null) continue
      const ids = suppressed.map((call) => call.id)
      const complete =
        endedReason === noPermittedHour.endedReason ? completeUnplacedCalls : completeQueuedCalls
      await complete(tx, workspaceId, ids, { outcome: 'suppressed', endedReason, at: now })
      for (const call of suppressed) completed.add(call)
    }
  }
  return locked.filter((call) => !completed.has(call))
}

async function startLockedCalls(
  tx: ClaimDeps,
  lease: Lease,
  batch: { locked: readonly PlannedCall[]; callable: readonly PlannedCall[]; test: boolean },
): Promise<ClaimResult> {
  const { locked, callable, test } = batch
  if (locked.length === 0) return 'nothing_to_claim'
  if (callable.length === 0) return 'claim_again'
  const leaseStartedMs = performance.now()
  // Uses the current time, because the number's last attempt can have ended since the claim began.
  const now = tx.clock.now()
  const localTimes = new Map<string, string>()
  const dialed = callable.map((call) => toDialedCall(call, now, localTimes))
  const attempts = await startAttempts(tx.db, dialed, { ...lease, now })
  // Another dialer is already calling all of these numbers, so the calls wait.
  if (attempts.length === 0) return callable.length < locked.length ? 'claim_again' : 'nothing_to_claim'
  const byId = new Map(callable.map((call) => [call.id, call]))
  return attempts.flatMap((attempt) => {
    const call = byId.get(attempt.callId)
    return call === undefined ? [] : [toClaimedAttempt(call, attempt, test, leaseStartedMs)]
  })
}

/** @param localTimes those that are known already; formatting one takes as long as the rest */
function toDialedCall(call: PlannedCall, now: Date, localTimes: Map<string, string>): DialedCall {
  const { zones, source } = call.plan
  const settings: Partial<CallSettings> = {
    ...call.settings,
    time_zones: [...zones],
    time_zone_source: source,
  }
  for (const zone of zones) if (!localTimes.has(zone)) localTimes.set(zone, toLocalIsoTime(now, zone))
  const local_times = Object.fromEntries(zones.map((zone) => [zone, localTimes.get(zone) ?? '']))
  return { id: call.id, dialed_with: { ...findSettingChanges(call.queuedWith ?? {}, settings), local_times } }
}

export const toClaimedAttempt = (
  call: CallToDial,
  attempt: NewAttempt,
  test: boolean,
  leaseStartedMs: number,
): ClaimedAttempt => ({
  id: attempt.id,
  fence: attempt.fence,
  workspaceId: call.workspaceId,
  campaignId: call.campaignId,
  test,
  leaseStartedMs,
  request: {
    attemptId: attempt.id,
    callId: call.id,
    number: attempt.number,
    fromNumber: call.fromNumber,
    toNumber: call.toNumber,
    agent: {
      widgetId: call.widgetId,
      name: call.agentName,
      language: call.language,
      greeting: resolveFallbacks(call.greeting, {
        first_name: call.firstName,
        last_name: call.lastName,
        variables: call.variables,
      }),
    },
    campaignName: call.campaignName,
    scheduled: call.scheduledAt !== null,
    contact: { firstName: call.firstName, lastName: call.lastName, variables: call.variables },
  },
})
