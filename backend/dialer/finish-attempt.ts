import type { CallOutcome, EndedReason, TranscriptLine } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import {
  completeCall,
  type Completion,
  endAttempt,
  type FencedAttempt,
  findAttempt,
  requeueCall,
} from './attempt-store.ts'
import { countLineFailure, isCounted } from './circuit-breaker.ts'
import { recordCompleted } from '../calls/complete-calls.ts'
import { isRetried, retryDelayMs } from './retry-policy.ts'
import { type CampaignRules, holdCampaign } from '../calls/call-store.ts'
import { addToDoNotCall } from '../calls/suppress.ts'
import { holdContactOfNumber, isOnDoNotCallList } from '../calls/suppress-store.ts'
import { nextCallableMoment } from '../scheduling/time-zones.ts'

/** How an attempt ended, as the dialer saw it. */
export interface AttemptEnd {
  outcome: Extract<CallOutcome, 'answered' | 'voicemail' | 'no_answer' | 'busy' | 'declined' | 'failed'>
  endedReason: EndedReason
  answeredAt: Date | null
  transcript: TranscriptLine[]
  summary: string | null
  recordingUrl: string | null
  /** The contact asked not to be called again. */
  refused: boolean
  /** When the line says that it ended, where that was before it was heard of. */
  endedAt?: Date
  /** Nobody is on the line any more, so that even a lost attempt may be followed by another. */
  surelyOver?: boolean
}

/** An end with nothing said. */
export const silentEnd = (outcome: AttemptEnd['outcome'], endedReason: EndedReason): AttemptEnd => ({
  outcome,
  endedReason,
  answeredAt: null,
  transcript: [],
  summary: null,
  recordingUrl: null,
  refused: false,
})

/** The end of an attempt that is lost on a line that knows nothing of it, or has had all the time of a call. */
export const lostEnd: AttemptEnd = { ...silentEnd('failed', 'worker_lost'), surelyOver: true }

/**
 * What became of the call: `refused` where another holder of the lease decides by now, `analysing` where it is
 * completed and its event waits for the analysis.
 */
export type Finished = 'completed' | 'requeued' | 'analysing' | 'refused'

/** How long an event waits for the analysis of its talk. */
export const analysisLimitMs = 120_000

/**
 * Ends an attempt and, with it in one transaction, its call: back to the queue for a retry, or completed with
 * its event. Locks in the order contact, campaign, attempt, call, as everything does that takes more than one.
 *
 * @param hungUpAt when it ended, where the writing was held up since
 */
export const finishAttempt =
  (deps: Deps) =>
  (attempt: FencedAttempt, end: AttemptEnd, hungUpAt?: Date): Promise<Finished> =>
    inTransaction(deps, async (own): Promise<Finished> => {
      const { workspaceId } = attempt
      const now = own.clock.now()
      const at = hungUpAt ?? now
      const found = await findAttempt(own.db, attempt)
      if (found === undefined) return 'refused'
      const refusing = end.refused && !found.test
      if (refusing) await holdContactOfNumber(own.db, workspaceId, found.to_number)
      const counts = !found.test && isCounted(end, found.line_failures)
      const why = counts ? 'to count' : 'to follow'
      const campaign = await holdCampaign(own.db, workspaceId, found.campaign_id, why)
      const call = await endAttempt(own.db, attempt, { ...end, at })
      if (refusing) {
        // It counts whoever reports it, even one whose lease is gone.
        await addToDoNotCall(own.db, { workspaceId, phoneNumber: found.to_number, source: 'call', now })
        own.wake.sender()
      }
      if (campaign === undefined || call === undefined) return 'refused'

      own.wake.tools({ workspaceId, endedAttempt: attempt.id })
      own.wake.dialer()
      if (counts) await countLineFailure(own.db, campaign, end)
      const completion = await completionOf(own, campaign, { ...call, workspaceId }, end, at)
      if (completion === undefined) {
        await requeueCall(
          own.db,
          workspaceId,
          call.id,
          await nextAttempt(own, campaign, call, found.test, at),
        )
        return 'requeued'
      }
      await completeCall(own.db, workspaceId, call.id, completion)
      if (completion.analysisUntil !== null) return 'analysing'
      await recordCompleted(own.db, workspaceId, [call.id], now)
      own.wake.sender()
      return 'completed'
    })

interface EndedCall {
  id: number
  to_number: string
  attempts: number
  time_zone: string | null
}

/** Undefined where the call is to be tried again. */
async function completionOf(
  deps: Deps,
  campaign: CampaignRules,
  call: EndedCall & { workspaceId: number },
  end: AttemptEnd,
  at: Date,
): Promise<Completion | undefined> {
  const own = { ...end, at, analysisUntil: analysisDeadline(end, at) }
  if (campaign.status === 'archived' || !isRetried(campaign.retry, end, call.attempts)) return own
  const stopped = await isOnDoNotCallList(deps.db, call.workspaceId, call.to_number)
  return stopped ? { ...own, outcome: 'suppressed', endedReason: 'do_not_call' } : undefined
}

const analysisDeadline = (end: AttemptEnd, at: Date) =>
  end.outcome === 'answered' ? new Date(at.getTime() + analysisLimitMs) : null

async function nextAttempt(
  deps: Deps,
  campaign: CampaignRules,
  call: EndedCall,
  test: boolean,
  now: Date,
): Promise<{ dueAt: Date; nextAttemptAt: Date }> {
  const dueAt = new Date(now.getTime() + retryDelayMs(campaign.retry, deps.config.lineSpeed))
  if (test) return { dueAt, nextAttemptAt: dueAt }
  const rules = { hours: campaign.calling_hours, timeZone: campaign.time_zone }
  const callee = { phoneNumber: call.to_number, timeZone: call.time_zone }
  return { dueAt, nextAttemptAt: await nextCallableMoment(rules, callee, dueAt) }
}
