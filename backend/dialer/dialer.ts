import { randomUUID } from 'node:crypto'
import { describeError } from '../core/errors.ts'
import { startWorker, type Worker } from '../core/worker.ts'
import type { Deps } from '../deps.ts'
import { chooseProviders, type TelephonyProviders } from '../telephony/choose-providers.ts'
import { renewLeases } from './attempt-lease-store.ts'
import { claimCalls, type ClaimedAttempt, claimTestCalls } from './claim-calls.ts'
import { type LeaseTimes, startLeaseRenewal } from './leases.ts'
import { runAttempt } from './run-attempt.ts'
import { takeOverAttempts } from './takeover.ts'

export interface DialerOptions extends LeaseTimes {
  providers: TelephonyProviders
  /** Calls that this process has on the line at once. */
  concurrency: number
}

/**
 * Starts the worker that makes the calls which are due. Any number of processes may run one. `wake` it after a
 * commit that made something callable; `stop` gives the talks under way `graceMs` to end by themselves.
 */
export function startDialer(deps: Deps, options: Partial<DialerOptions> = {}): Worker {
  const {
    providers = chooseProviders(deps),
    leaseMs = 30_000,
    heartbeatMs = 7_000,
    concurrency = 500,
  } = options
  const workerId = randomUUID()
  const real: Worker[] = []
  const test: Worker[] = []
  const notify = () => [...real, ...test].forEach((worker) => worker.notify())
  // A hang-up frees its slot at once, for this dialer as for those that `deps` knows of.
  const callQueued = () => (notify(), deps.notify.callQueued())
  const dialerDeps: Deps = { ...deps, notify: { ...deps.notify, callQueued } }

  const onError = (error: unknown, attemptId?: string) =>
    deps.log.error({ attempt: attemptId, error: describeError(error) }, 'the dialer met an error')
  const renew = (ids: string[]) => renewLeases(deps.db, { workerId, leaseMs }, ids)
  const leases = startLeaseRenewal({ leaseMs, heartbeatMs }, renew, onError)
  const start = (concurrency: number, fetch: (capacity: number) => Promise<ClaimedAttempt[]>) =>
    startWorker<ClaimedAttempt>(deps.clock, {
      fetch,
      handle: (attempt, stop) => runAttempt(dialerDeps, providers, leases, onError, attempt, stop),
      onError: (error, attempt) => onError(error, attempt?.id),
      concurrency,
      batchSize: 50,
      pollMs: 1_000,
    })
  const realLease = { provider: providers.real.name, workerId, leaseMs }
  if (providers.real.resumable)
    real.push(start(concurrency, (capacity) => takeOverAttempts(dialerDeps, realLease, capacity)))
  real.push(start(concurrency, (capacity) => claimCalls(dialerDeps, realLease, capacity)))
  // A lane of their own: a campaign's backlog keeps nobody's test waiting.
  test.push(
    start(100, (capacity) =>
      claimTestCalls(dialerDeps, { provider: providers.test.name, workerId, leaseMs }, capacity),
    ),
  )
  return {
    notify,
    stop: async (timeoutMs) => {
      // Calls that go on without this process are not waited for.
      const realTimeoutMs = providers.real.resumable ? 0 : timeoutMs
      await Promise.all([
        ...real.map((worker) => worker.stop(realTimeoutMs)),
        ...test.map((worker) => worker.stop(timeoutMs)),
      ])
      leases.stop()
    },
  }
}
