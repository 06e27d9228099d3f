import type { Deps } from '../../deps.ts'
import { dayMs, minuteMs, secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../../platform/core/periodic.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { completeUnplacedCalls } from '../../queue/calls/complete-calls.ts'
import type { CallKey } from '../../queue/calls/get-calls.ts'
import { continueRescheduling } from '../../queue/calls/reschedule-calls.ts'
import { endStops, findOutdatedStops } from '../../queue/rules/limits.ts'
import { findReportedAnalysis } from '../telephony/all-providers.ts'
import { chooseProviders, type ProviderDeps, type TelephonyProviders } from '../telephony/choose-providers.ts'
import { callLimits } from '../telephony/provider.ts'
import { findLostAttempts, type LostAttempt } from './attempt-lease-store.ts'
import { type AttemptResult, emptyResult, lostResult } from './attempt-result.ts'
import { finishAnalysis, finishAttempt } from './finish-attempt.ts'
import {
  findCampaignsToReschedule,
  findOverdueAnalyses,
  findOverdueCalls,
  lockOverdueCall,
} from './sweep-store.ts'

type SweeperDeps = ProviderDeps & Pick<Deps, 'notify'>

/**
 * Starts the job that finishes what other workers left open: attempts of lost workers, calls that waited too long, events whose
 * analysis didn't arrive, interrupted campaign changes, and campaigns that were stopped by limits that no longer apply. Any
 * number of processes can run this job.
 */
export function startSweeper(
  deps: SweeperDeps,
  options: { providers?: TelephonyProviders } = {},
): PeriodicJob {
  const onError = (error: unknown) =>
    deps.log.error({ error: describeError(error) }, 'failed to run a sweeper task')
  const tasks = createTasks(deps, options.providers ?? chooseProviders(deps))

  /** Returns true if the sweep finished something. The job then sweeps again at once, because more may be waiting. */
  const sweep = async (stopping: AbortSignal): Promise<boolean> => {
    let finished = 0
    for (const findJobs of tasks) {
      const jobs = await findJobs().catch((error: unknown) => (onError(error), []))
      for (const job of jobs) {
        if (stopping.aborted) return false
        if (await job().catch(onError)) finished += 1
      }
    }
    return finished > 0
  }
  return startPeriodicJob(deps.clock, {
    name: 'sweeper',
    intervalMs: secondMs,
    maxRunMs: 5 * minuteMs,
    work: sweep,
    onError,
  })
}

/** How long after its start a sweeper leaves attempts of resumable providers to dialers, which may be starting, too. */
const takeoverMs = 10 * secondMs

/** Finds the pending jobs of one kind of task. */
type FindJobs = () => Promise<(() => Promise<boolean>)[]>

/** @param handle returns false if there was nothing to do, for example because another process does it */
const createTask =
  <Found>(find: () => Promise<Found[]>, handle: (found: Found) => Promise<boolean>): FindJobs =>
  async () =>
    (await find()).map((found) => () => handle(found))

function createTasks(deps: SweeperDeps, providers: TelephonyProviders): FindJobs[] {
  const { db, clock } = deps
  // A dialer takes over the attempts of resumable providers. Other attempts are lost with their worker.
  const nonResumable = [providers.real, providers.test]
    .filter((provider) => !provider.resumable)
    .map((provider) => provider.name)
  const workerLost = emptyResult('failed', 'worker_lost')
  const maxCallSeconds = callLimits.ringSeconds + callLimits.callSeconds
  const startedAt = clock.now().getTime()
  const isTakeoverTime = () => clock.now().getTime() - startedAt < takeoverMs
  const endLost = (result: AttemptResult) => async (attempt: LostAttempt) =>
    (await finishAttempt(deps, attempt, result)) !== 'stale'
  return [
    createTask(
      () => findLostAttempts(db, { providers: nonResumable, lostForSeconds: 0 }),
      endLost(workerLost),
    ),
    // These leases expired so long ago that even the longest call would be over. After an outage of all processes, dialers
    // get the chance to read the results first.
    createTask(
      async () => (isTakeoverTime() ? [] : findLostAttempts(db, { lostForSeconds: maxCallSeconds })),
      endLost(lostResult),
    ),
    createTask(
      () => findOverdueAnalyses(db, clock.now()),
      (call) => writeOverdueEvent(deps, call),
    ),
    createTask(
      () => findOverdueCalls(db, overdueBefore(clock.now())),
      (call) => expireCall(deps, call),
    ),
    createTask(
      () => findCampaignsToReschedule(db),
      (campaign) => continueRescheduling(deps, campaign),
    ),
    // Runs each time, not only at startup: after a switch to simulated calls, a worker that hasn't restarted yet can still
    // stop campaigns.
    createTask(
      () => findOutdatedStops(deps),
      async (workspaceId) => {
        await endStops(deps, workspaceId)
        return true
      },
    ),
  ]
}

/**
 * Writes the event of a call whose analysis didn't arrive in time. If the event isn't valid, logs that and tries again after a
 * day.
 */
async function writeOverdueEvent(deps: SweeperDeps, call: CallKey): Promise<boolean> {
  const analysis = await findReportedAnalysis(deps.db, call)
  const status = await finishAnalysis(deps, call, analysis, dayMs)
  if (status === 'invalid')
    deps.log.error({ call: call.callId }, "the call's event isn't valid, so it isn't sent")
  return status === 'published'
}

/** Returns the cutoff time. Calls that became due before it have waited too long. */
const overdueBefore = (now: Date): Date => new Date(now.getTime() - 7 * dayMs)

const neverAttempted = { outcome: 'expired', endedReason: 'not_attempted_in_time' } as const

/**
 * Completes a call that wasn't attempted within 7 days after it became due. If the call had earlier attempts, the last one's
 * outcome counts.
 *
 * @returns false if another transaction has changed or locked the call
 */
const expireCall = (deps: SweeperDeps, key: CallKey): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const call = await lockOverdueCall(tx.db, key, overdueBefore(now))
    if (call === undefined) return false
    await completeUnplacedCalls(tx, key.workspaceId, [call.id], { ...neverAttempted, at: now })
    return true
  })
