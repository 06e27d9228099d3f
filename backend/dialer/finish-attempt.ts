import { isOnDoNotCallList } from '../calls/check-do-not-call.ts'
import { publishCompletedCalls } from '../calls/complete-calls.ts'
import { addToDoNotCallList } from '../calls/do-not-call.ts'
import { type CampaignRules, lockCampaign, lockContactByNumber } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { nextCallableAt } from '../scheduling/calling-hours.ts'
import type { Analysis } from '../telephony/provider.ts'
import type { FencedAttempt } from './attempt-lease-store.ts'
import type { AttemptResult } from './attempt-result.ts'
import {
  completeCall,
  type Completion,
  endAttempt,
  findAttempt,
  requeueCall,
  saveAnalysis,
} from './attempt-store.ts'
import { changesFailureCount, updateProviderFailures } from './circuit-breaker.ts'
import { retryDelayMs, shouldRetry } from './retry-policy.ts'

/**
 * What became of the call: `stale` where another holder of the lease decides by now, `analyzing` where it is
 * completed and its event waits for the analysis.
 */
export type FinishStatus = 'completed' | 'requeued' | 'analyzing' | 'stale'

/** How long an event waits for the analysis of its talk. */
export const analysisTimeoutMs = 120_000

/**
 * Ends an attempt and, with it in one transaction, its call: back to the queue for a retry, or completed with
 * its event. Locks in the order contact, campaign, attempt, call, as everything does that takes more than one.
 *
 * @param hungUpAt when it ended, where the writing was held up since
 */
export const finishAttempt = (
  deps: Deps,
  attempt: FencedAttempt,
  result: AttemptResult,
  hungUpAt?: Date,
): Promise<FinishStatus> =>
  inTransaction(deps, async (tx): Promise<FinishStatus> => {
    const { workspaceId } = attempt
    const now = tx.clock.now()
    const at = hungUpAt ?? now
    const found = await findAttempt(tx.db, attempt)
    if (found === undefined) return 'stale'
    const optedOut = result.optedOut && !found.test
    if (optedOut) await lockContactByNumber(tx.db, workspaceId, found.to_number)
    const changesCount = !found.test && changesFailureCount(result, found.provider_failures)
    const lockMode = changesCount ? 'update' : 'share'
    const campaign = await lockCampaign(tx.db, workspaceId, found.campaign_id, lockMode)
    const call = await endAttempt(tx.db, attempt, { ...result, at })
    if (optedOut) {
      // It counts whoever reports it, even one whose lease is gone.
      await addToDoNotCallList(tx.db, { workspaceId, phoneNumber: found.to_number, source: 'call', now })
      tx.notify.deliveryQueued()
    }
    if (campaign === undefined || call === undefined) return 'stale'

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
    await publishCompletedCalls(tx.db, workspaceId, [call.id], now)
    tx.notify.deliveryQueued()
    return 'completed'
  })

interface EndedCall {
  id: number
  to_number: string
  attempts: number
  time_zone: string | null
}

/** Undefined where the call is to be tried again. */
async function decideCompletion(
  tx: Deps,
  campaign: CampaignRules,
  call: EndedCall & { workspaceId: number },
  result: AttemptResult,
  at: Date,
): Promise<Completion | undefined> {
  const completion = { ...result, at, analysisUntil: analysisDeadline(result, at) }
  if (campaign.status === 'archived' || !shouldRetry(campaign.retry, result, call.attempts)) return completion
  const isSuppressed = await isOnDoNotCallList(tx.db, call.workspaceId, call.to_number)
  return isSuppressed ? { ...completion, outcome: 'suppressed', endedReason: 'do_not_call' } : undefined
}

const analysisDeadline = (result: AttemptResult, at: Date) =>
  result.outcome === 'answered' ? new Date(at.getTime() + analysisTimeoutMs) : null

async function planRetry(
  tx: Deps,
  campaign: CampaignRules,
  call: EndedCall,
  test: boolean,
  now: Date,
): Promise<{ dueAt: Date; nextAttemptAt: Date }> {
  const dueAt = new Date(now.getTime() + retryDelayMs(campaign.retry, tx.config.simulationSpeed))
  if (test) return { dueAt, nextAttemptAt: dueAt }
  const rules = { hours: campaign.calling_hours, timeZone: campaign.time_zone }
  const callee = { phoneNumber: call.to_number, timeZone: call.time_zone }
  return { dueAt, nextAttemptAt: await nextCallableAt(rules, callee, dueAt) }
}

/**
 * Ends the wait of a completed call's event: with the analysis, or without it where there is none to come.
 * Does nothing where that has happened before: a call has one event.
 */
export const finishAnalysis = (
  deps: Deps,
  call: { workspaceId: number; callId: number },
  analysis: Analysis | undefined,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    if (!(await saveAnalysis(tx.db, call.workspaceId, call.callId, analysis))) return
    await publishCompletedCalls(tx.db, call.workspaceId, [call.callId], tx.clock.now())
    tx.notify.deliveryQueued()
  })
