import { randomUUID } from 'node:crypto'
import type { CallKey } from '../calls/cancel-call.ts'
import { completeQueuedCalls, publishCompletedCalls } from '../calls/complete-calls.ts'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import { describeError } from '../core/errors.ts'
import type { Worker } from '../core/worker.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { chooseProviders, type TelephonyProviders } from '../telephony/choose-providers.ts'
import { findReportedAnalysis } from '../telephony/http-runtime/attempt-reports.ts'
import { callLimits } from '../telephony/provider.ts'
import { takeOverAbandonedAttempts, takeOverLostAttempts } from './attempt-lease-store.ts'
import { emptyResult, lostResult } from './attempt-result.ts'
import { finishAnalysis, finishAttempt } from './finish-attempt.ts'
import {
  findCampaignsToReschedule,
  findLastResult,
  findOverdueAnalyses,
  findOverdueCalls,
  lockOverdueCall,
} from './sweep-store.ts'

/**
 * Starts the worker that ends what nobody else will: attempts of lost workers, calls that waited too long,
 * events whose analysis did not come, changes of a campaign that were broken off. Any number may run.
 */
export function startSweeper(
  deps: Deps,
  options: { providers?: TelephonyProviders } = {},
): Pick<Worker, 'stop'> {
  const sweep = createSweep(deps, options.providers ?? chooseProviders(deps))
  const stopping = new AbortController()
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const count = await sweep(stopping.signal)
      if (count === 0) await deps.clock.wait(1_000, stopping.signal)
    }
  }
  const loopDone = loop()
  return {
    stop: async () => {
      stopping.abort()
      await loopDone
    },
  }
}

/** One round over everything; resolves to how much it ended. What fails is reported and comes round again. */
function createSweep(deps: Deps, providers: TelephonyProviders): (stopping: AbortSignal) => Promise<number> {
  const workerId = randomUUID()
  // A line that outlives its worker is asked by a dialer what became of the call; these cannot be.
  const nonResumable = [providers.real, providers.test]
    .filter((provider) => !provider.resumable)
    .map((provider) => provider.name)
  const workerLost = emptyResult('failed', 'worker_lost')
  const tasks = [
    createTask(
      () => takeOverLostAttempts(deps.db, { workerId, providers: nonResumable }),
      (attempt) => finishAttempt(deps, attempt, workerLost),
    ),
    createTask(
      () => takeOverAbandonedAttempts(deps.db, { workerId }, callLimits.ringSeconds + callLimits.callSeconds),
      (attempt) => finishAttempt(deps, attempt, lostResult),
    ),
    createTask(
      () => findOverdueAnalyses(deps.db, deps.clock.now()),
      async (call) => finishAnalysis(deps, call, await findReportedAnalysis(deps.db, call)),
    ),
    createTask(
      () => findOverdueCalls(deps.db, overdueBefore(deps.clock.now())),
      (call) => expireCall(deps, call),
    ),
    createTask(
      () => findCampaignsToReschedule(deps.db),
      (campaign) => rescheduleCampaign(deps, campaign),
    ),
  ]
  const reportError = (error: unknown) =>
    deps.log.error({ error: describeError(error) }, 'the sweeper met an error')

  return async (stopping) => {
    let ended = 0
    for (const { find } of tasks) {
      const jobs = await find().catch((error: unknown) => (reportError(error), []))
      for (const job of jobs) {
        if (stopping.aborted) return ended
        const succeeded = await job().then(
          () => 1,
          (error: unknown) => (reportError(error), 0),
        )
        ended += succeeded
      }
    }
    return ended
  }
}

/** Something to look for, and what to do with each find. */
const createTask = <Found>(find: () => Promise<Found[]>, handle: (found: Found) => Promise<unknown>) => ({
  find: async () => (await find()).map((found) => () => handle(found)),
})

const maxWaitMs = 7 * 24 * 3_600_000

/** Calls that last became due before this have waited too long. */
export const overdueBefore = (now: Date): Date => new Date(now.getTime() - maxWaitMs)

const neverAttempted = { outcome: 'expired', endedReason: 'not_attempted_in_time' } as const

/** Completes a call that got no attempt within 7 days. After any attempt, the last one's outcome stands. */
export const expireCall = (deps: Deps, key: CallKey): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const call = await lockOverdueCall(tx.db, key, overdueBefore(now))
    if (call === undefined) return
    const result = (await findLastResult(tx.db, key)) ?? neverAttempted
    const completed = await completeQueuedCalls(tx.db, key.workspaceId, [call.id], { ...result, at: now })
    await publishCompletedCalls(tx.db, key.workspaceId, completed, now)
    tx.notify.deliveryQueued()
  })
