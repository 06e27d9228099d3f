import type { Deps } from '../../deps.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import type { NumberUse } from '../../platform/db/call-rules.ts'
import { type CampaignRules, lockCampaign, lockCampaigns, lockNumbers } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findStoredNumbers } from '../../queue/calls/check-do-not-call.ts'
import { publishCompletedCalls } from '../../queue/calls/complete-calls.ts'
import { addToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import type { CallKey } from '../../queue/calls/get-calls.ts'
import { rescheduleNumber } from '../../queue/calls/reschedule-calls.ts'
import { doRulesApply, rulesInEffect } from '../../queue/rules/call-rules.ts'
import {
  addSeconds,
  hasLimits,
  lockLimitUses,
  removeAttempt,
  requeueAfterCalls,
  requeueLimitedCampaigns,
} from '../../queue/rules/limits.ts'
import {
  hasNoTime,
  type NeverReason,
  type PlannedCallee,
  planPermittedCall,
} from '../../queue/rules/plan-call.ts'
import { type Analysis, callLimits } from '../telephony/provider.ts'
import type { FencedAttempt, LostAttempt } from './attempt-lease-store.ts'
import type { AttemptResult } from './attempt-result.ts'
import {
  type AttemptEnd,
  completeCalls,
  type Completion,
  endAttempts,
  findAttempts,
  requeueCalls,
  type Retry,
  saveAnalyses,
  uncountUse,
  undoAttempt,
} from './attempt-store.ts'
import { shouldUpdateFailureCount, updateProviderFailures } from './circuit-breaker.ts'
import { retryDelayMs, shouldRetry } from './retry-policy.ts'

/**
 * The status of the call after an attempt:
 *
 * - `requeued`: the call gets another attempt.
 * - `stale`: the attempt had already ended, or another worker has taken it over or is ending it.
 * - `analyzing`: the call is completed, and its event waits for the analysis.
 */
export type FinishStatus = 'completed' | 'requeued' | 'analyzing' | 'stale'

export type FinishDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'notify'>

/** How long an event waits for the analysis of the conversation. */
export const analysisTimeoutMs = 2 * minuteMs

/**
 * Ends an attempt and, in the same transaction, queues its call for a retry or completes it with its event.
 *
 * @param endedAt when the call ended, if that was before now
 */
export async function finishAttempt(
  deps: FinishDeps,
  attempt: FencedAttempt | LostAttempt,
  result: AttemptResult,
  endedAt = deps.clock.now(),
): Promise<FinishStatus> {
  if (result.notPlaced === true) return finishUnplaced(deps, attempt, result, endedAt)
  const { workspaceId } = attempt
  return inTransaction(deps, async (tx) => {
    const [status] = await finishAttempts(tx, workspaceId, [{ workspaceId, attempt, result, at: endedAt }])
    return status ?? 'stale'
  })
}

/**
 * Undoes an attempt that wasn't placed, so that the call gets another one. If the campaign is archived or the call canceled,
 * ends the attempt instead. In both cases, the attempt no longer counts for any limit.
 */
async function finishUnplaced(
  deps: FinishDeps,
  attempt: FencedAttempt,
  result: AttemptResult,
  endedAt: Date,
): Promise<FinishStatus> {
  const { workspaceId } = attempt
  const [found] = await findAttempts(deps.db, workspaceId, [attempt.id])
  if (found === undefined) return 'stale'
  const status = await inTransaction(deps, async (tx) => {
    const campaign = await lockCampaign(tx.db, workspaceId, found.campaignId, 'share')
    const isLastChance = campaign?.status === 'archived' || found.isCanceled
    const end = { workspaceId, attempt, result, at: endedAt }
    const ended = isLastChance ? await endUnplaced(tx, end) : await undoUnplaced(tx, end)
    const rules = campaign === undefined ? null : rulesInEffect(tx.config, campaign.rules)
    if (ended === 'stale' || campaign === undefined || rules === null || !hasLimits(rules)) return ended
    const { id, phoneNumberId } = campaign
    await lockLimitUses(tx.db, [workspaceId])
    await removeAttempt(tx.db, { workspaceId, phoneNumberId, at: found.startedAt })
    await requeueLimitedCampaigns(tx.db, workspaceId, { campaignIds: [id] })
    return ended
  })
  // This attempt may have delayed calls to the same number in other campaigns.
  if (status !== 'stale') await rescheduleNumber(deps, workspaceId, found.phoneNumber)
  return status
}

async function undoUnplaced(
  tx: FinishDeps,
  { workspaceId, attempt, result }: AttemptEnd,
): Promise<FinishStatus> {
  if (!(await undoAttempt(tx.db, attempt))) return 'stale'
  tx.notify.toolAccessEnded({ workspaceId, attemptId: attempt.id })
  tx.notify.attemptEnded({ outcome: 'not_placed', endedReason: result.endedReason })
  return 'requeued'
}

async function endUnplaced(tx: FinishDeps, end: AttemptEnd): Promise<FinishStatus> {
  const [status = 'stale'] = await finishAttempts(tx, end.workspaceId, [end])
  if (status !== 'stale') await uncountUse(tx.db, end.attempt)
  return status
}

/**
 * Ends attempts of a workspace. Locks the contact, campaigns, attempts, and calls, in this order, like all code that locks more
 * than one of these. Returns the statuses of the calls, in the order of `ends`.
 */
export async function finishAttempts(
  tx: FinishDeps,
  workspaceId: number,
  ends: readonly AttemptEnd[],
): Promise<FinishStatus[]> {
  const now = tx.clock.now()
  const attemptIds = ends.map(({ attempt }) => attempt.id)
  const found = new Map((await findAttempts(tx.db, workspaceId, attemptIds)).map((row) => [row.id, row]))
  const optOuts = ends.flatMap(({ attempt, result }) => {
    const dialed = found.get(attempt.id)
    return result.optedOut && dialed?.test === false ? [dialed] : []
  })
  // There's at most one number, because an attempt with an opt-out is handled alone.
  await lockNumbers(
    tx.db,
    workspaceId,
    optOuts.map(({ phoneNumber }) => phoneNumber),
  )
  const campaigns = await lockCampaignsOf(tx, workspaceId, ends, found)
  const hasMinutes = [...campaigns.values()].some(
    ({ rules }) => (rulesInEffect(tx.config, rules)?.maxMinutesPerMonth ?? null) !== null,
  )
  const ended = await endAttempts(tx.db, workspaceId, ends)
  const calls = new Map(ended.map((call) => [call.attemptId, call]))
  for (const dialed of optOuts) {
    // An opt-out counts even if the result is stale. The call is then marked here. Otherwise, the statement that completes the
    // call marks it.
    await addOptOut(tx, workspaceId, dialed, calls.has(dialed.id) ? undefined : dialed.callId)
  }

  const finished = ends.flatMap((end) => {
    const call = calls.get(end.attempt.id)
    const campaign = call && campaigns.get(call.campaignId)
    return campaign === undefined || call === undefined ? [] : [{ ...end, call, campaign }]
  })
  const canRetry = ({ call, campaign, result }: FinishedEnd) =>
    campaign.status !== 'archived' &&
    !call.isCanceled &&
    !wasCutOff({ call, result }) &&
    shouldRetry(campaign.retry, result, call.attempts)
  const retryIds = finished.filter(canRetry).map(({ call }) => call.id)
  const numbers = await findStoredNumbers(tx.db, workspaceId, retryIds)
  const statuses = new Map<string, FinishStatus>()
  const retries: Retry[] = []
  const completions: Completion[] = []
  for (const end of finished) {
    const { attempt, result, at, call, campaign } = end
    tx.notify.attemptEnded(result)
    tx.notify.toolAccessEnded({ workspaceId, attemptId: attempt.id })
    tx.notify.callQueued()
    if (updatesCount(end, found.get(attempt.id)) && updatesCount(end, { ...call, ...campaign }))
      campaign.providerFailures = await updateProviderFailures(tx.db, campaign, result)
    const number = numbers.get(call.id)
    const isSuppressed = number?.isListed === true
    const retry = canRetry(end) && !isSuppressed ? planRetry(tx, end, number?.use ?? null) : null
    if (retry !== null && typeof retry === 'object') {
      retries.push({ callId: call.id, campaignId: call.campaignId, ...retry })
      statuses.set(attempt.id, 'requeued')
      continue
    }
    const analysisUntil = analysisDeadline(result, at)
    const suppressedFor = isSuppressed ? 'do_not_call' : retry
    const override =
      suppressedFor !== null && ({ outcome: 'suppressed', endedReason: suppressedFor } as const)
    const optedOut = result.optedOut && !call.test
    const isConversation =
      (result.outcome === 'answered' || wasCutOff(end)) && !call.test && doRulesApply(tx.config)
    const conversedWith = isConversation ? call.phoneNumber : null
    completions.push({ ...result, ...override, optedOut, callId: call.id, at, analysisUntil, conversedWith })
    statuses.set(attempt.id, analysisUntil === null ? 'completed' : 'analyzing')
  }
  await requeueCalls(tx.db, workspaceId, retries)
  await completeCalls(tx.db, workspaceId, completions)
  const publishable = completions.filter(({ analysisUntil }) => analysisUntil === null)
  const publishableIds = publishable.map(({ callId }) => callId)
  await publishCompletedCalls(tx, workspaceId, publishableIds, now)
  if (hasMinutes) {
    // This lock comes last, because claims skip the workspace's campaigns until it's released.
    await lockLimitUses(tx.db, [workspaceId])
    await countMinutes(tx, workspaceId, finished)
    // The limit counts a call in progress with its maximum length. Now that these calls are over, others may be able to start.
    await requeueAfterCalls(tx.db, workspaceId, [...campaigns.values()], { now, ...callLimits })
  }
  return ends.map(({ attempt }) => statuses.get(attempt.id) ?? 'stale')
}

/** Adds the time that contacts were on the phone to the workspace's minutes. */
async function countMinutes(
  tx: FinishDeps,
  workspaceId: number,
  finished: readonly FinishedEnd[],
): Promise<void> {
  const seconds = finished.map(({ call, result, at }) => {
    const answeredAt = result.answeredAt ?? call.answeredAt
    if (call.test || answeredAt === null) return 0
    // After an outage, an attempt can end much later than its call.
    return Math.min(callLimits.callSeconds, Math.max(0, at.getTime() - answeredAt.getTime()) / secondMs)
  })
  const sum = Math.ceil(seconds.reduce((total, each) => total + each, 0))
  if (sum > 0) await addSeconds(tx.db, workspaceId, sum, tx.clock.now())
}

/** Adds the phone number of a contact who opted out in an attempt to the do-not-call list. */
export async function addOptOut(
  tx: FinishDeps,
  workspaceId: number,
  { agentId, callId, phoneNumber }: { agentId: number; callId: number; phoneNumber: string },
  optedOutCallId: number | undefined,
): Promise<void> {
  const addedBy = { kind: 'agent', id: agentId, call_id: callId } as const
  const entry = { phoneNumbers: [phoneNumber], source: 'call', addedBy, optedOutCallId } as const
  await addToDoNotCallList(tx, workspaceId, { ...entry, now: tx.clock.now() })
}

/** Returns true if a failure cut off a conversation. Such a call isn't retried. */
const wasCutOff = ({ call, result }: Pick<FinishedEnd, 'call' | 'result'>): boolean =>
  result.outcome === 'failed' && call.answeredAt !== null

interface FinishedEnd extends AttemptEnd {
  call: Omit<PlannedCallee, 'use'> & {
    id: number
    attempts: number
    test: boolean
    isCanceled: boolean
    answeredAt: Date | null
  }
  campaign: CampaignRules
}

/** Returns true if the end of an attempt changes its campaign's count of provider failures. */
const updatesCount = (
  { result }: AttemptEnd,
  dialed: { test: boolean; providerFailures: number } | undefined,
): boolean => dialed?.test === false && shouldUpdateFailureCount(result, dialed.providerFailures)

/** Locks the campaigns of attempts: with `update` if their count of provider failures may change, otherwise with `share`. */
async function lockCampaignsOf(
  tx: FinishDeps,
  workspaceId: number,
  ends: readonly AttemptEnd[],
  dialed: ReadonlyMap<string, { campaignId: number; test: boolean; providerFailures: number }>,
): Promise<Map<number, CampaignRules>> {
  const modes = new Map<number, 'share' | 'update'>()
  for (const end of ends) {
    const found = dialed.get(end.attempt.id)
    if (found === undefined) continue
    if (updatesCount(end, found)) modes.set(found.campaignId, 'update')
    else if (!modes.has(found.campaignId)) modes.set(found.campaignId, 'share')
  }
  const campaigns = new Map<number, CampaignRules>()
  for (const mode of ['update', 'share'] as const) {
    const ids = [...modes].flatMap(([id, wanted]) => (wanted === mode ? [id] : []))
    if (ids.length === 0) continue
    for (const campaign of await lockCampaigns(tx.db, workspaceId, ids, mode))
      campaigns.set(campaign.id, campaign)
  }
  return campaigns
}

const analysisDeadline = (result: AttemptResult, at: Date) =>
  result.outcome === 'answered' && result.analysis === undefined
    ? new Date(at.getTime() + analysisTimeoutMs)
    : null

/**
 * Plans the next attempt of a call. Returns the reason if the call must not be placed again. Returns null if the only reason is
 * that no time is left: the call then ends with the outcome of its last attempt.
 */
function planRetry(
  { config }: FinishDeps,
  { campaign, call, at }: FinishedEnd,
  use: NumberUse | null,
): Plan | NeverReason | null {
  const dueAt = new Date(at.getTime() + retryDelayMs(campaign.retry, config.simulationSpeed))
  if (call.test) return { dueAt, nextAttemptAt: dueAt, delayedBy: null }
  const rules = rulesInEffect(config, campaign.rules)
  const callee = { ...call, use }
  const { never, delayedBy, at: nextAttemptAt } = planPermittedCall(rules, campaign, callee, { from: dueAt })
  if (never === null) return { dueAt, nextAttemptAt, delayedBy }
  return hasNoTime(never) ? null : never
}

type Plan = Pick<Retry, 'dueAt' | 'nextAttemptAt' | 'delayedBy'>

/** A completed call whose event waits for the analysis. */
export interface AnalyzedCall extends CallKey {
  /** Undefined if there is none, or if it didn't arrive in time. */
  analysis: Analysis | undefined
}

/** The state of a call's only event after an attempt to write it. An invalid event isn't written. */
export type AnalysisStatus = 'published' | 'already_published' | 'invalid'

/**
 * Writes the event of a completed call, with the analysis if there is one. Does nothing if the event was already written.
 *
 * @param retryInvalidAfterMs how long the sweeper waits before it tries again to write an invalid event
 */
export const finishAnalysis = (
  deps: FinishDeps,
  { workspaceId, callId }: CallKey,
  analysis: Analysis | undefined,
  retryInvalidAfterMs = 0,
): Promise<AnalysisStatus> =>
  inTransaction(deps, async (tx) => {
    const call = { workspaceId, callId, analysis }
    const [status] = await finishAnalyses(tx, workspaceId, [call], retryInvalidAfterMs)
    return status ?? 'already_published'
  })

/** Does the same as `finishAnalysis`, for several calls of one workspace. Call it in a transaction. */
export async function finishAnalyses(
  tx: FinishDeps,
  workspaceId: number,
  calls: readonly AnalyzedCall[],
  retryInvalidAfterMs = 0,
): Promise<AnalysisStatus[]> {
  const savedIds = await saveAnalyses(tx.db, workspaceId, calls)
  const now = tx.clock.now()
  const retryAt = new Date(now.getTime() + retryInvalidAfterMs)
  const invalidIds = await publishCompletedCalls(tx, workspaceId, savedIds, now, retryAt)
  return calls.map(({ callId }) => {
    if (!savedIds.includes(callId)) return 'already_published'
    return invalidIds.includes(callId) ? 'invalid' : 'published'
  })
}
