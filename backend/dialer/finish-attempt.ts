import { isOnDoNotCallList } from '../calls/check-do-not-call.ts'
import { publishCompletedCalls } from '../calls/complete-calls.ts'
import { addToDoNotCallList } from '../calls/do-not-call.ts'
import type { CallKey } from '../calls/get-calls.ts'
import { minuteMs } from '../core/durations.ts'
import { type CampaignRules, lockCampaign, lockContactByNumber } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type Callee, nextCallableAt } from '../scheduling/calling-hours.ts'
import type { Analysis } from '../telephony/provider.ts'
import type { FencedAttempt, LostAttempt } from './attempt-lease-store.ts'
import type { AttemptResult } from './attempt-result.ts'
import {
  completeCall,
  type Completion,
  endAttempt,
  findAttempt,
  requeueCall,
  saveAnalysis,
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
type FinishStatus = 'completed' | 'requeued' | 'analyzing' | 'stale'

type FinishDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'notify'>

/** How long an event waits for the analysis of the conversation. */
export const analysisTimeoutMs = 2 * minuteMs

/**
 * Ends an attempt and, in the same transaction, queues its call for a retry or completes it with its event. Locks
 * contact, campaign, attempt, and call in this order. All code that locks more than one of them uses the same order.
 *
 * @param endedAt when the call ended, if that was before now
 */
export const finishAttempt = (
  deps: FinishDeps,
  attempt: FencedAttempt | LostAttempt,
  result: AttemptResult,
  endedAt?: Date,
): Promise<FinishStatus> =>
  inTransaction(deps, async (tx): Promise<FinishStatus> => {
    const { workspaceId } = attempt
    const now = tx.clock.now()
    const at = endedAt ?? now
    const found = await findAttempt(tx.db, attempt)
    if (found === undefined) return 'stale'
    const optedOut = result.optedOut && !found.test
    if (optedOut) await lockContactByNumber(tx.db, workspaceId, found.phoneNumber)
    const changesCount = !found.test && shouldUpdateFailureCount(result, found.providerFailures)
    const lockMode = changesCount ? 'update' : 'share'
    const campaign = await lockCampaign(tx.db, workspaceId, found.campaignId, lockMode)
    // In an archived campaign, the attempt was the call's last chance.
    if (result.notPlaced && campaign?.status !== 'archived') {
      const isUndone = await undoAttempt(tx.db, attempt)
      if (!isUndone) return 'stale'
      tx.notify.toolsChanged({ workspaceId, endedAttempt: attempt.id })
      tx.notify.attemptEnded({ outcome: 'not_placed', endedReason: result.endedReason })
      return 'requeued'
    }
    const call = await endAttempt(tx.db, attempt, { ...result, at })
    if (optedOut) {
      // An opt-out counts even if the result is stale.
      const addedBy = { kind: 'agent', id: found.agentId, call_id: found.callId } as const
      const entry = { phoneNumber: found.phoneNumber, source: 'call', addedBy, now } as const
      await addToDoNotCallList(tx, workspaceId, entry)
    }
    if (campaign === undefined || call === undefined) return 'stale'
    tx.notify.attemptEnded(result)

    tx.notify.toolsChanged({ workspaceId, endedAttempt: attempt.id })
    tx.notify.callQueued()
    if (changesCount) await updateProviderFailures(tx.db, campaign, result)
    const completion = await decideCompletion(tx, campaign, { ...call, workspaceId }, result, at)
    if (completion === undefined) {
      await requeueCall(tx.db, workspaceId, call.id, await planRetry(tx, campaign, call, found.test, at))
      return 'requeued'
    }
    await completeCall(tx.db, workspaceId, call.id, completion)
    if (completion.analysisUntil !== null) return 'analyzing'
    await publishCompletedCalls(tx, workspaceId, [call.id], now)
    return 'completed'
  })

interface EndedCall extends Callee {
  id: number
  attempts: number
}

/** Returns how to complete the call. Undefined if it gets another attempt. */
async function decideCompletion(
  tx: FinishDeps,
  campaign: CampaignRules,
  call: EndedCall & { workspaceId: number },
  result: AttemptResult,
  at: Date,
): Promise<Completion | undefined> {
  const completion = { ...result, at, analysisUntil: analysisDeadline(result, at) }
  if (campaign.status === 'archived' || !shouldRetry(campaign.retry, result, call.attempts)) return completion
  const isSuppressed = await isOnDoNotCallList(tx.db, call.workspaceId, call.phoneNumber)
  return isSuppressed ? { ...completion, outcome: 'suppressed', endedReason: 'do_not_call' } : undefined
}

const analysisDeadline = (result: AttemptResult, at: Date) =>
  result.outcome === 'answered' && result.analysis === undefined
    ? new Date(at.getTime() + analysisTimeoutMs)
    : null

async function planRetry(
  tx: FinishDeps,
  campaign: CampaignRules,
  call: EndedCall,
  test: boolean,
  now: Date,
): Promise<{ dueAt: Date; nextAttemptAt: Date }> {
  const dueAt = new Date(now.getTime() + retryDelayMs(campaign.retry, tx.config.simulationSpeed))
  if (test) return { dueAt, nextAttemptAt: dueAt }
  return { dueAt, nextAttemptAt: nextCallableAt(campaign, call, dueAt) }
}

/**
 * Writes the event of a completed call, with the analysis if there is one. Does nothing if the event was already
 * written, because a call has only one.
 *
 * @param retryInvalidAfterMs when the sweeper tries again to write an event that isn't valid
 * @returns `invalid` if the event isn't valid
 */
export const finishAnalysis = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  call: CallKey,
  analysis: Analysis | undefined,
  retryInvalidAfterMs = 0,
): Promise<'published' | 'already_published' | 'invalid'> =>
  inTransaction(deps, async (tx) => {
    if (!(await saveAnalysis(tx.db, call.workspaceId, call.callId, analysis))) return 'already_published'
    const now = tx.clock.now()
    const retryAt = new Date(now.getTime() + retryInvalidAfterMs)
    const invalid = await publishCompletedCalls(tx, call.workspaceId, [call.callId], now, retryAt)
    return invalid.length > 0 ? 'invalid' : 'published'
  })
