import { randomUUID } from 'node:crypto'
import { describeError } from '../describe-error.ts'
import type { Deps } from '../deps.ts'
import type { Worker } from '../core/worker.ts'
import { expireCall, overdueSince } from '../calls/expire.ts'
import { finishAttempt, lostEnd, silentEnd } from './finish-attempt.ts'
import { limits } from '../calls/limits.ts'
import { chooseLines, type Lines } from '../telephony/choose-providers.ts'
import { replanCampaign } from '../calls/reschedule-calls.ts'
import { findReportedAnalysis } from '../calls/reports/find-analysis.ts'
import { settleAnalysis } from '../calls/settle.ts'
import {
  findCampaignsToReplan,
  findOverdueAnalyses,
  findOverdueCalls,
  takeOverForgottenAttempts,
  takeOverLostAttempts,
} from './sweep-store.ts'

/**
 * Starts the worker that ends what nobody else will: attempts of lost workers, calls that waited too long,
 * events whose analysis did not come, changes of a campaign that were broken off. Any number may run.
 */
export function startSweeper(deps: Deps, options: { lines?: Lines } = {}): Pick<Worker, 'stop'> {
  const sweep = sweepWith(deps, options.lines ?? chooseLines(deps))
  const stopping = new AbortController()
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const swept = await sweep(stopping.signal)
      if (swept === 0) await deps.clock.wait(1_000, stopping.signal)
    }
  }
  const looping = loop()
  return {
    stop: async () => {
      stopping.abort()
      await looping
    },
  }
}

/** One round over everything; resolves to how much it ended. What fails is reported and comes round again. */
function sweepWith(deps: Deps, lines: Lines): (stopping: AbortSignal) => Promise<number> {
  const workerId = randomUUID()
  // A line that outlives its worker is asked by a dialer what became of the call; these cannot be.
  const mortal = [lines.real, lines.test].filter((line) => !line.outlivesWorker).map((line) => line.name)
  const workerLost = silentEnd('failed', 'worker_lost')
  const chores = [
    chore(
      () => takeOverLostAttempts(deps.db, { workerId, lines: mortal }),
      (attempt) => finishAttempt(deps)(attempt, workerLost),
    ),
    chore(
      () => takeOverForgottenAttempts(deps.db, { workerId }, limits.ringSeconds + limits.callSeconds),
      (attempt) => finishAttempt(deps)(attempt, lostEnd),
    ),
    chore(
      () => findOverdueAnalyses(deps.db, deps.clock.now()),
      async (call) => settleAnalysis(deps)(call, await findReportedAnalysis(deps.db, call)),
    ),
    chore(
      () => findOverdueCalls(deps.db, overdueSince(deps.clock.now())),
      (call) => expireCall(deps)(call),
    ),
    chore(
      () => findCampaignsToReplan(deps.db),
      (campaign) => replanCampaign(deps)(campaign),
    ),
  ]
  const report = (error: unknown) =>
    deps.log.error({ error: describeError(error) }, 'the sweeper met an error')

  return async (stopping) => {
    let ended = 0
    for (const { find } of chores) {
      const jobs = await find().catch((error: unknown) => (report(error), []))
      for (const job of jobs) {
        if (stopping.aborted) return ended
        const done = await job().then(
          () => 1,
          (error: unknown) => (report(error), 0),
        )
        ended += done
      }
    }
    return ended
  }
}

/** Something to look for, and what to do with each find. */
const chore = <Found>(find: () => Promise<Found[]>, end: (found: Found) => Promise<unknown>) => ({
  find: async () => (await find()).map((found) => () => end(found)),
})
