import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../platform/core/worker.ts'
import { chooseProviders, type ProviderDeps, type TelephonyProviders } from '../telephony/choose-providers.ts'
import { createAttemptWriter } from './attempt-writer.ts'
import { claimCalls, type ClaimedAttempt, claimTestCalls } from './claim-calls.ts'
import { createClaimInterval } from './claim-interval.ts'
import { newDialerTurns } from './claim-store.ts'
import { type LeaseTimes, startLeaseRenewal } from './leases.ts'
import { runAttempt } from './run-attempt.ts'
import { takeOverAttempts } from './takeover.ts'

export interface DialerOptions extends LeaseTimes {
  providers: TelephonyProviders
  /** Maximum concurrent calls of this process. */
  concurrency: number
  /** Returns how many other processes have workers. */
  otherWorkers: () => number
}

interface Dialer extends Worker {
  /** Ends the wait for reports about an attempt. Call it after a commit that saved a report. */
  reportReceived(attemptId: string): void
}

type DialerDeps = ProviderDeps & Pick<Deps, 'notify'>

/**
 * Starts the worker that places due calls. Any number of processes can run this worker. Call `notify` after a commit that made
 * a call due. `stop` gives calls in progress `timeoutMs` to end.
 */
export function startDialer(deps: DialerDeps, options: Partial<DialerOptions> = {}): Dialer {
  const {
    providers = chooseProviders(deps),
    leaseMs = 30 * secondMs,
    heartbeatMs = 7 * secondMs,
    concurrency = 500,
    otherWorkers = () => 0,
  } = options
  const workerId = randomUUID()
  const real: Worker[] = []
  const test: Worker[] = []
  // A call that ends frees capacity of its campaign. Only this dialer is notified of that: if all dialers looked at once, most
  // would find nothing. The workers for takeovers and test calls don't depend on this capacity.
  const dialerDeps: DialerDeps = {
    ...deps,
    notify: { ...deps.notify, callQueued: () => dialer.notify() },
  }

  const onError = (error: unknown, attemptId?: string) =>
    deps.log.error(
      { attempt: attemptId, error: describeError(error) },
      attemptId === undefined ? 'failed to claim calls or renew leases' : 'failed to run a call attempt',
    )
  const leases = startLeaseRenewal(deps, { workerId, leaseMs, heartbeatMs }, onError)
  const runner = { providers, leases, writer: createAttemptWriter(dialerDeps, onError), onError }
  const start = (
    limits: Pick<WorkerOptions<ClaimedAttempt>, 'name' | 'concurrency' | 'intervalMs'>,
    fetch: (capacity: number) => Promise<ClaimedAttempt[]>,
  ) =>
    startWorker<ClaimedAttempt>(deps.clock, {
      ...limits,
      fetch: async (capacity) => {
        await leases.ready
        return fetch(capacity)
      },
      handle: (attempt, stop) => runAttempt(dialerDeps, runner, attempt, stop),
      onError: (error, attempt) => onError(error, attempt?.id),
      batchSize: 50,
      pollMs: secondMs,
    })
  const realLease = { provider: providers.real.name, workerId, leaseMs }
  const testLease = { provider: providers.test.name, workerId, leaseMs }
  const takeOver = (capacity: number) => takeOverAttempts(dialerDeps, realLease, capacity)
  const turns = newDialerTurns()
  const claimRealCalls = async (capacity: number) => {
    const limited = providers.real.limitCapacity?.(capacity) ?? capacity
    return limited === 0 ? [] : claimCalls(dialerDeps, realLease, limited, turns)
  }
  // The takeover worker isn't notified of new calls, because they don't change what there is to take over.
  if (providers.real.resumable)
    real.push(start({ name: 'takeover', concurrency, intervalMs: () => 100 }, takeOver))
  const intervalMs = createClaimInterval(otherWorkers)
  const dialer = start({ name: 'dialer', concurrency, intervalMs }, claimRealCalls)
  real.push(dialer)
  // Test calls have a separate worker so that they don't wait behind a campaign's backlog. Its interval limits how often it
  // looks for test calls, because it's notified of other calls, too.
  const claimTests = (capacity: number) => claimTestCalls(dialerDeps, testLease, capacity)
  test.push(start({ name: 'test_dialer', concurrency: 100, intervalMs: () => 100 }, claimTests))
  return {
    loops: [...real, ...test, leases].flatMap(({ loops }) => loops),
    reportReceived: (attemptId) => providers.real.reportReceived?.(attemptId),
    notify: () => [dialer, ...test].forEach((worker) => worker.notify()),
    stop: async (timeoutMs) => {
      // The calls of a resumable provider continue without this process.
      const realTimeoutMs = providers.real.resumable ? 0 : timeoutMs
      await Promise.all([
        ...real.map((worker) => worker.stop(realTimeoutMs)),
        ...test.map((worker) => worker.stop(timeoutMs)),
      ])
      await turns.settled
      await leases.stop()
    },
  }
}
