import type { Deps } from '../../deps.ts'
import { describeError } from '../../platform/core/errors.ts'
import type { CampaignRequirements } from '../../platform/db/call-rules.ts'
import type { CallSettings } from '../../platform/db/tables/call-tables.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findSettingChanges } from '../../queue/calls/call-settings.ts'
import { completeSuppressedCalls, type SuppressedReason } from '../../queue/calls/complete-calls.ts'
import { resolveFallbacks } from '../../queue/calls/greeting.ts'
import { findNumbersNotAllowed } from '../../queue/calls/number-types.ts'
import { rescheduleDelayedCalls } from '../../queue/calls/reschedule-calls.ts'
import { type CallRules, doRulesApply, hasRules, noRequirements } from '../../queue/rules/call-rules.ts'
import {
  addAttempts,
  applyLimits,
  hasLimits,
  type LimitedCampaign,
  settleStops,
  type Stop,
} from '../../queue/rules/limits.ts'
import { type PermittedPlan, type PlannedCallee, planPermittedCall } from '../../queue/rules/plan-call.ts'
import { findWhyAllowed } from '../../queue/rules/why-allowed.ts'
import { toLocalIsoTime } from '../../queue/scheduling/local-time.ts'
import { callLimits, type DialRequest } from '../telephony/provider.ts'
import type { AttemptProgress } from './attempt-state.ts'
import {
  type CallToCheck,
  type CallToDial,
  countCapacity,
  type CountedCampaign,
  type DialedCall,
  type DialerTurns,
  findCallsToDial,
  lockDueCalls,
  lockDueTestCalls,
  lockNextCampaigns,
  maxCampaigns,
  type NewAttempt,
  settleCampaigns,
  startAttempts,
} from './claim-store.ts'
import { shareAmongCampaigns } from './share-capacity.ts'

/** The worker that attempts are leased to, its provider, and the length of the lease by the database's clock. */
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
  /**
   * The value of `performance.now()` just before the lease began. The lease lasts until this time plus `leaseMs`, or longer.
   */
  leaseStartedMs: number
  request: DialRequest
  /** The attempt's progress, if another worker started it. */
  takenOver?: AttemptProgress
}

export type ClaimDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'log'>

/**
 * Claims at most `capacity` calls in one transaction:
 *
 * - A campaign never exceeds its limit of concurrent calls.
 * - A number has at most one live attempt per workspace.
 * - Not claimed: calls outside calling hours, to numbers on the do-not-call list, to number types that the workspace doesn't
 *   call, and calls that its rules don't allow now.
 * - Workspaces take turns. `turns` is the dialer's position among them.
 *
 * Resolves before the next turns of the campaigns are settled (`turns.settled`), so that the calls can be dialed at once.
 */
export const claimCalls = (
  deps: ClaimDeps,
  lease: Lease,
  capacity: number,
  turns: DialerTurns,
): Promise<ClaimedAttempt[]> =>
  repeatUntilClaimed(async () => {
    await turns.settled
    const now = deps.clock.now()
    const { claimed, campaigns, ...turn } = await inTransaction(deps, async (tx) =>
      claimFromCampaigns(tx, lease, { campaigns: await lockNextCampaigns(tx.db, now, turns), capacity, now }),
    )
    if (campaigns.length > 0) turns.settled = settleTurns(deps, campaigns, turn, now)
    // These campaigns had no call to claim, but campaigns behind them in the queue can have one.
    return claimed === 'nothing_to_claim' && campaigns.length === maxCampaigns ? 'claim_again' : claimed
  })

/** Campaigns that a claim must update after its commit: those that have had their turn, and those that a limit stops. */
interface Turn {
  served: number[]
  limited: readonly LimitedCampaign[]
  stops: readonly Stop[]
}

/** Claims calls of locked campaigns. */
async function claimFromCampaigns(
  tx: ClaimDeps,
  lease: Lease,
  { campaigns, capacity, now }: { campaigns: number[]; capacity: number; now: Date },
): Promise<{ claimed: ClaimResult; campaigns: number[] } & Turn> {
  if (campaigns.length === 0)
    return { claimed: 'nothing_to_claim', campaigns, served: [], limited: [], stops: [] }
  const counted = await countCapacity(tx.db, campaigns, capacity, now)
  const wanted = shareAmongCampaigns(capacity, counted)
  const ruled = doRulesApply(tx.config) ? counted : []
  const limited = ruled.filter(({ rules }) => hasLimits(rules))
  const { shares, stops } = await applyLimits(tx, limited, wanted, { now, ...callLimits })
  const found = shares.size === 0 ? [] : await findCallsToDial(tx.db, await lockDueCalls(tx.db, shares, now))
  const locked = planCalls(found, ruled, now)
  const allowed = await completeSuppressed(tx, locked, { test: false, now })
  const callable = await rescheduleDelayedCalls(tx.db, allowed, now)
  const claimed = await startLockedCalls(tx, lease, { locked, callable, test: false })
  if (Array.isArray(claimed)) await countAttempts(tx, limited, claimed)
  // A campaign that could start calls but got no share keeps its place in the queue.
  const served = counted.filter(({ id, free, due }) => wanted.has(id) || free <= 0 || due === 0)
  // All due calls of the campaigns with a share can be to numbers that are already being called. Then other campaigns are next.
  const isAnotherNext = claimed === 'nothing_to_claim' && served.length < counted.length
  return {
    claimed: isAnotherNext ? 'claim_again' : claimed,
    campaigns,
    served: served.map(({ id }) => id),
    limited,
    stops,
  }
}

/** Counts the claimed attempts for the limits of their workspaces. */
async function countAttempts(
  { db, clock }: ClaimDeps,
  limited: readonly LimitedCampaign[],
  claimed: readonly ClaimedAttempt[],
): Promise<void> {
  const numbers = limited.flatMap(({ id, workspaceId, phoneNumberId }) => {
    const attempts = claimed.filter(({ campaignId }) => campaignId === id).length
    return attempts === 0 ? [] : [{ workspaceId, phoneNumberId, attempts }]
  })
  const sums = [...Map.groupBy(numbers, ({ phoneNumberId }) => phoneNumberId).values()].flatMap((same) => {
    const [first] = same
    return first === undefined
      ? []
      : [{ ...first, attempts: same.reduce((sum, each) => sum + each.attempts, 0) }]
  })
  await addAttempts(db, sums, clock.now())
}

/**
 * Decides when the campaigns get their next turn. Runs after the claim's commit, because requests that queue calls can wait
 * for the locks that this takes. Never rejects, because the claimed attempts must run in any case. If it fails, the campaigns
 * keep their places in the queue.
 */
async function settleTurns(
  deps: ClaimDeps,
  campaigns: readonly number[],
  { served, limited, stops }: Turn,
  now: Date,
): Promise<void> {
  try {
    await settleCampaigns(deps.db, campaigns, served, now)
    await settleStops(deps, limited, stops, { now, ...callLimits })
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
      const locked = planCalls(found, [], now)
      const callable = await completeSuppressed(tx, locked, { test: true, now })
      return startLockedCalls(tx, lease, { locked, callable, test: true })
    }),
  )

/** `claim_again` if no attempt started, but other calls may be due behind the ones that were checked. */
type ClaimResult = ClaimedAttempt[] | 'nothing_to_claim' | 'claim_again'

/** Maximum batches in a row that start no call. After them, the worker waits for the next poll. */
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

/** A locked call, the plan of when it can be placed, and the data for this plan. `rules` is null if no rules apply. */
interface PlannedCall extends CallToCheck {
  rules: CallRules | null
  requires: CampaignRequirements
  callee: PlannedCallee
  plan: PermittedPlan
}

const unruled = { rules: null, requires: noRequirements }

/** @param ruled the campaigns of the calls, with their rules. Empty if no rules apply. */
function planCalls(
  calls: readonly CallToCheck[],
  ruled: readonly CountedCampaign[],
  now: Date,
): PlannedCall[] {
  const campaigns = new Map(ruled.map((campaign) => [campaign.id, campaign]))
  return calls.map((call) => {
    const { rules, requires } = campaigns.get(call.campaignId) ?? unruled
    const limits = { callingHours: call.callingHours, timeZone: call.campaignTimeZone, requires }
    const callee = {
      phoneNumber: call.toNumber,
      timeZone: call.contactTimeZone,
      consent: call.consent,
      use: call.storedNumber.use,
      isExempt: call.isExempt,
    }
    const plan = planPermittedCall(rules, limits, callee, { from: now, dueAt: call.dueAt })
    return { ...call, rules, requires, callee, plan }
  })
}

/** Completes the calls that must not be placed; returns the others. */
async function completeSuppressed(
  tx: ClaimDeps,
  locked: readonly PlannedCall[],
  { test, now }: { test: boolean; now: Date },
): Promise<PlannedCall[]> {
  const suppressed = new Map<PlannedCall, SuppressedReason>()
  for (const [workspaceId, calls] of Map.groupBy(locked, (call) => call.workspaceId)) {
    const numbers = test ? [] : calls.map((call) => call.toNumber)
    const notAllowed = await findNumbersNotAllowed(tx.db, workspaceId, numbers)
    for (const call of calls) {
      const reason = findReason(call, { test, notAllowed })
      if (reason !== null) suppressed.set(call, reason)
    }
    const completions = calls.flatMap((call) => {
      const reason = suppressed.get(call)
      return reason === undefined ? [] : [{ id: call.id, reason }]
    })
    await completeSuppressedCalls(tx, workspaceId, completions, now)
  }
  return locked.filter((call) => !suppressed.has(call))
}

/** Returns why a call must not be placed, or null if it can be placed. */
function findReason(
  { storedNumber, toNumber, plan }: PlannedCall,
  { test, notAllowed }: { test: boolean; notAllowed: ReadonlySet<string> },
): SuppressedReason | null {
  if (storedNumber.isListed) return 'do_not_call'
  if (notAllowed.has(toNumber)) return 'number_type_not_allowed'
  return test ? null : plan.never
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
  const isCounted = !test && doRulesApply(tx.config)
  const attempts = await startAttempts(tx.db, dialed, { ...lease, now, isCounted })
  // Another dialer is already calling all of these numbers, so the calls wait.
  if (attempts.length === 0) return callable.length < locked.length ? 'claim_again' : 'nothing_to_claim'
  const byId = new Map(callable.map((call) => [call.id, call]))
  return attempts.flatMap((attempt) => {
    const call = byId.get(attempt.callId)
    return call === undefined ? [] : [toClaimedAttempt(call, attempt, test, leaseStartedMs)]
  })
}

/** @param localTimes a cache by time zone, because formatting a local time takes as long as everything else here */
function toDialedCall(call: PlannedCall, now: Date, localTimes: Map<string, string>): DialedCall {
  const { zones, source } = call.plan
  const settings: Partial<CallSettings> = {
    ...call.settings,
    time_zones: [...zones],
    time_zone_source: source,
  }
  for (const zone of zones) if (!localTimes.has(zone)) localTimes.set(zone, toLocalIsoTime(now, zone))
  const local_times = Object.fromEntries(zones.map((zone) => [zone, localTimes.get(zone) ?? '']))
  const changes = findSettingChanges(call.queuedWith ?? {}, settings)
  const isRuled = call.rules !== null && hasRules(call.rules, call.requires)
  const { isCallback } = call
  const allowed = isRuled ? findWhyAllowed(call.callee, { now, isCallback }) : undefined
  const { hash, use } = call.storedNumber
  return {
    id: call.id,
    agent_version: call.agentVersion,
    number_hash: hash,
    last_placed_at: use?.placedAt.at(-1) ?? null,
    dialed_with: { ...changes, local_times, ...(allowed && { allowed }) },
  }
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
    agent: toDialedAgent(call),
    campaignName: call.campaignName,
    scheduled: call.scheduledAt !== null,
    contact: { firstName: call.firstName, lastName: call.lastName, variables: call.variables },
  },
})

/** Returns the agent of a call, with the fallbacks of its texts resolved for the contact. */
function toDialedAgent(call: CallToDial): DialRequest['agent'] {
  const { firstName, lastName, variables, agent } = call
  const resolve = (text: string) =>
    resolveFallbacks(text, { first_name: firstName, last_name: lastName, variables })
  return {
    widgetId: call.widgetId,
    version: call.agentVersion,
    name: agent.name,
    language: agent.language,
    greeting: resolve(agent.greeting),
    instructions: resolve(agent.instructions),
    speaksFirst: agent.speaks_first,
    goal: resolve(agent.goal),
    results: agent.results.map((result) => ({ ...result, description: resolve(result.description) })),
    model: agent.model,
    maxMinutes: agent.max_minutes,
    closingLine: resolve(agent.closing_line),
    aiDisclosure: agent.ai_disclosure,
  }
}
