import { randomUUID } from 'node:crypto'
import { secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { startWorker, type Worker } from '../core/worker.ts'
import type { Deps } from '../deps.ts'
import type { GuardedSend, ResolveHost } from '../outbound/guard.ts'
import { createReusingSend } from '../outbound/reusing-send.ts'
import { attemptDelivery } from './deliver.ts'
import { exhaustDelivery, type LeasedDelivery, leaseDeliveries, releaseDelivery } from './delivery-store.ts'
import { createAttemptRecorder, type RecordAttempt } from './finish-delivery.ts'

export interface SenderOptions {
  /** For one attempt, including connection and response. */
  timeoutMs?: number
  /** Maximum simultaneous attempts to all hosts. */
  concurrency?: number
  /** Maximum simultaneous attempts to one host, so that one that never responds leaves capacity for the others. */
  perHost?: number
  /**
   * Must be longer than any attempt. Otherwise, another worker would repeat a slow attempt while it runs. Unsubscribing
   * waits for it if the worker was killed during an attempt.
   */
  leaseSeconds?: number
  resolve?: ResolveHost
}

type SenderDeps = Pick<
  Deps,
  'config' | 'db' | 'clock' | 'log' | 'metrics' | 'notify' | 'random' | 'secretBox'
>

/**
 * Starts sending the deliveries of the outbox, at least once each. Any number of senders can share a database: each
 * delivery is leased, and another sender takes it over if the lease expires.
 */
export function startSender(deps: SenderDeps, options: SenderOptions = {}): Worker {
  const { config, db, clock, log } = deps
  const { timeoutMs = 15 * secondMs, concurrency = 200, perHost = 16, leaseSeconds = 30, resolve } = options
  const workerId = randomUUID()
  const activeByHost = new Map<string, number>()
  const recordAttempt = createAttemptRecorder(deps)
  const { send, close } = createReusingSend({ allowLoopback: config.allowLoopbackWebhooks, resolve })

  const adjustActiveCount = (host: string, change: 1 | -1) => {
    const remaining = (activeByHost.get(host) ?? 0) + change
    if (remaining > 0) activeByHost.set(host, remaining)
    else activeByHost.delete(host)
  }

  const worker = startWorker<SenderJob>(clock, {
    name: 'sender',
    concurrency,
    batchSize: 50,
    pollMs: secondMs,
    fetch: async (capacity) => {
      const now = clock.now()
      const startBy = performance.now() + leaseSeconds * secondMs - timeoutMs
      const leased = await leaseDeliveries(db, {
        workerId,
        now,
        capacity,
        perHost,
        activeByHost,
        leaseSeconds,
      })
      for (const { targetHost } of leased) adjustActiveCount(targetHost, 1)
      return leased.map((delivery) => ({ delivery, startBy }))
    },
    handle: (job, signal) =>
      deliver(deps, { send, timeoutMs, recordAttempt }, job, signal).finally(() =>
        adjustActiveCount(job.delivery.targetHost, -1),
      ),
    onError: (error, job) => {
      log.error(
        { error: describeError(error), delivery: job?.delivery.id },
        'failed to send webhook deliveries; unfinished ones are retried after their leases expire',
      )
    },
  })
  return {
    ...worker,
    stop: async (timeoutMs) => {
      await worker.stop(timeoutMs)
      await close()
    },
  }
}

interface SenderJob {
  delivery: LeasedDelivery
  /** The latest time to start an attempt that ends before the lease, on the monotonic clock of `performance.now()`. */
  startBy: number
}

/** Makes one attempt and records its result. Releases the lease if the worker stops before there's a result. */
async function deliver(
  deps: SenderDeps,
  { send, timeoutMs, recordAttempt }: { send: GuardedSend; timeoutMs: number; recordAttempt: RecordAttempt },
  { delivery, startBy }: SenderJob,
  stopSignal: AbortSignal,
): Promise<void> {
  const { db, clock, log, metrics } = deps
  // The process was frozen, and the attempt would outlive the lease: another worker sends the event, or nobody does
  // because the receiver has unsubscribed.
  if (performance.now() > startBy) return
  if (delivery.disabled) return exhaustDelivery(db, delivery, clock.now())
  const startedAt = clock.now()
  const measure = metrics.deliveryAttemptSeconds.startTimer()
  const signal = AbortSignal.any([stopSignal, AbortSignal.timeout(timeoutMs)])
  const result = await attemptDelivery(deps, send, delivery, startedAt, signal).catch((error: unknown) => {
    if (stopSignal.aborted) return undefined
    // An internal error is retried on the schedule, like any failure, and not in a tight loop.
    log.error(
      { error: describeError(error), delivery: delivery.id },
      'failed to send a webhook delivery because of an internal error',
    )
    return {
      kind: 'internal_error',
      error: "Something went wrong in Outdial, so the event wasn't sent.",
    } as const
  })
  if (result === undefined) return releaseDelivery(db, delivery)
  if (!delivery.isTest) measure({ result: result.kind })
  await recordAttempt(delivery, startedAt, result)
}
