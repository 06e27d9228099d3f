import { randomUUID } from 'node:crypto'
import { describeError } from '../describe-error.ts'
import type { Deps } from '../deps.ts'
import type { Worker } from '../core/worker.ts'
import { expireCall, overdueBefore } from '../calls/expire.ts'
import { finishAttempt, lostResult, emptyResult } from './finish-attempt.ts'
import { callLimits } from '../calls/limits.ts'
import { chooseProviders, type TelephonyProviders } from '../telephony/choose-providers.ts'
import { rescheduleCampaign } from '../calls/reschedule-calls.ts'
import { findReportedAnalysis } from '../calls/reports/find-analysis.ts'
import { finishAnalysis } from '../calls/settle.ts'
import {
  findCampaignsToReschedule,
  findOverdueAnalyses,
  findOverdueCalls,
  takeOverAbandonedAttempts,
  takeOverLostAttempts,
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
      (attempt) => finishAttempt(deps)(attempt, workerLost),
    ),
    createTask(
      () => takeOverAbandonedAttempts(deps.db, { workerId }, callLimits.ringSeconds + callLimits.callSeconds),
      (attempt) => finishAttempt(deps)(attempt, lostResult),
    ),
    createTask(
      () => findOverdueAnalyses(deps.db, deps.clock.now()),
      async (call) => finishAnalysis(deps)(call, await findReportedAnalysis(deps.db, call)),
    ),
    createTask(
      () => findOverdueCalls(deps.db, overdueBefore(deps.clock.now())),
      (call) => expireCall(deps)(call),
    ),
    createTask(
      () => findCampaignsToReschedule(deps.db),
      (campaign) => rescheduleCampaign(deps)(campaign),
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
