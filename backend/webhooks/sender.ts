import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../deps.ts'
import { secondMs } from '../platform/core/durations.ts'
import { describeError } from '../platform/core/errors.ts'
import { startWorker, type Worker } from '../platform/core/worker.ts'
import type { GuardedSend, ResolveHost } from '../platform/outbound/guard.ts'
import { createReusingSend } from '../platform/outbound/reusing-send.ts'
import { attemptDelivery, type DeliveryAttemptResult } from './deliver.ts'
import { endDelivery, type LeasedDelivery, leaseDeliveries, releaseDelivery } from './delivery-store.ts'
import { createDeliveryRecorder } from './finish-delivery.ts'
import { createHostSlots, type HostSlots } from './host-slots.ts'
import { createSigningKeys, type FindSigningKeys } from './signing-keys.ts'
import { isSubscribed } from './subscription-store.ts'
import { newSenderTurns, toLaneKey } from './turns.ts'

/** How long one attempt may take, including connection and response. */
export const deliveryTimeoutMs = 15 * secondMs

export interface SenderOptions {
  /** Timeout of one attempt. */
  timeoutMs?: number
  /** Maximum deliveries that are leased at a time. This also limits the simultaneous attempts to all hosts. */
  concurrency?: number
  /** Maximum simultaneous attempts to one host, so that a host that never responds leaves capacity for the others. */
  perHost?: number
  /**
   * The length of a lease. It must be longer than any attempt. Otherwise, another worker would repeat a slow attempt while it
   * runs. If a worker was killed during an attempt, unsubscribing waits until the lease ends.
   */
  leaseSeconds?: number
  resolve?: ResolveHost
}

type SenderDeps = Pick<
  Deps,
  'config' | 'db' | 'clock' | 'log' | 'metrics' | 'notify' | 'random' | 'secretBox'
>

/**
 * The maximum number of deliveries that are leased ahead for a lane, in addition to its share of `perHost`, so that slots don't
 * wait for the next claim. For each fast response of its receiver since its last claim, a lane gets two more. Any other result
 * takes back all of them. A slow receiver's slots hardly ever wait for a claim, so deliveries that are leased ahead for it
 * would only be released.
 */
const maxAheadPerLane = 128
const fastResponseMs = 100
/** Leased deliveries of a host that becomes slow are released after this time, so that other senders can send them. */
const maxSlotWaitMs = secondMs

/**
 * Starts sending the deliveries of the outbox, at least once each. Any number of senders can share a database: each
 * delivery is leased, and another sender takes it over if the lease expires.
 */
export function startSender(deps: SenderDeps, options: SenderOptions = {}): Worker {
  const { config, db, clock, log } = deps
  const {
    timeoutMs = deliveryTimeoutMs,
    concurrency = 200,
    perHost = 32,
    leaseSeconds = 30,
    resolve,
  } = options
  const workerId = randomUUID()
  const activeByHost = new Map<string, number>()
  const activeByLane = new Map<string, number>()
  // The number of entries is limited, because callback URLs can have any number of hosts.
  const aheadByLane = new LRUCache<string, number>({ max: 1_000 })
  const turns = newSenderTurns()
  const { send, close } = createReusingSend({ allowLoopback: config.allowLoopbackWebhooks, resolve })
  const recordAttempt = createDeliveryRecorder(deps)
  const means: Means = {
    send,
    findSigningKeys: createSigningKeys(deps),
    timeoutMs,
    slots: createHostSlots({ perHost, maxWaitMs: maxSlotWaitMs }),
    onResult: (delivery, isFastResponse) => {
      const lane = laneOf(delivery)
      if (!isFastResponse) aheadByLane.delete(lane)
      else aheadByLane.set(lane, Math.min((aheadByLane.get(lane) ?? 0) + 2, maxAheadPerLane))
    },
  }

  const worker = startWorker<SenderJob>(clock, {
    name: 'sender',
    concurrency,
    batchSize: concurrency,
    pollMs: secondMs,
    intervalMs: () => 10,
    fetch: async (capacity) => {
      const now = clock.now()
      const startBy = performance.now() + leaseSeconds * secondMs - timeoutMs
      const limits = { capacity, perHost, activeByHost, activeByLane, aheadByLane }
      const leased = await leaseDeliveries(db, { workerId, now, leaseSeconds, turns, ...limits })
      for (const delivery of leased) {
        adjustCount(activeByHost, delivery.targetHost, 1)
        adjustCount(activeByLane, laneOf(delivery), 1)
        aheadByLane.delete(laneOf(delivery))
      }
      return leased.map((delivery) => ({ delivery, startBy }))
    },
    handle: async (job, signal) => {
      const { delivery } = job
      const attempted = await attemptInSlot(deps, means, job, signal).finally(() => {
        adjustCount(activeByHost, delivery.targetHost, -1)
        adjustCount(activeByLane, laneOf(delivery), -1)
      })
      if (attempted === 'disabled') return endDelivery(db, delivery, 'exhausted', clock.now())
      if (attempted === 'subscribed') return endDelivery(db, delivery, 'canceled', clock.now())
      if (attempted === 'released') return releaseDelivery(db, delivery)
      if (attempted !== 'lease_ends') await recordAttempt(delivery, attempted.startedAt, attempted.result)
    },
    onError: (error, job) => {
      log.error(
        { error: describeError(error), delivery: job?.delivery.id },
        'failed to send webhook deliveries; unfinished ones are retried after their leases expire',
      )
    },
  })
  return {
    ...worker,
    stop: async (stopTimeoutMs) => {
      await worker.stop(stopTimeoutMs)
      await close()
    },
  }
}

/** Returns the key of a delivery's lane. `laneId` in delivery-store.ts computes the same ID in SQL. */
const laneOf = ({ targetHost, subscriptionId, workspaceId }: LeasedDelivery): string =>
  toLaneKey(targetHost, subscriptionId ?? -workspaceId)

function adjustCount(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const remaining = (counts.get(key) ?? 0) + change
  if (remaining > 0) counts.set(key, remaining)
  else counts.delete(key)
}

interface SenderJob {
  delivery: LeasedDelivery
  /** The latest time to start an attempt that ends before the lease, on the monotonic clock of `performance.now()`. */
  startBy: number
}

/** The objects that the attempts of a sender share. */
interface Means {
  send: GuardedSend
  findSigningKeys: FindSigningKeys
  timeoutMs: number
  slots: HostSlots
  onResult: (delivery: LeasedDelivery, isFastResponse: boolean) => void
}

interface Attempted {
  startedAt: Date
  result: DeliveryAttemptResult
}

/**
 * Makes one attempt, or returns why it can't be made. `released` means that another worker may make it at once. `subscribed`
 * means that Zapier isn't notified that a subscription has ended, because another subscription has the same URL.
 */
async function attemptInSlot(
  deps: SenderDeps,
  means: Means,
  { delivery, startBy }: SenderJob,
  stopSignal: AbortSignal,
): Promise<Attempted | 'disabled' | 'lease_ends' | 'released' | 'subscribed'> {
  if (delivery.disabled) return 'disabled'
  const attempted = await means.slots.run(delivery.targetHost, laneOf(delivery), async () => {
    // If the process was frozen, the attempt could end after the lease. Another worker then sends the event, or no worker does
    // if the receiver has unsubscribed.
    if (performance.now() > startBy) return 'lease_ends'
    if (delivery.eventId === null && (await isSubscribed(deps.db, delivery.targetUrl))) return 'subscribed'
    const startedAt = deps.clock.now()
    const result = await attempt(deps, means, delivery, startedAt, stopSignal)
    return result === undefined ? 'released' : { startedAt, result }
  })
  return attempted ?? 'released'
}

/** Makes one attempt, and measures it. Returns undefined if the worker stops before there's a result. */
async function attempt(
  deps: SenderDeps,
  means: Means,
  delivery: LeasedDelivery,
  startedAt: Date,
  stopSignal: AbortSignal,
): Promise<DeliveryAttemptResult | undefined> {
  const { log, metrics } = deps
  const measure = metrics.deliveryAttemptSeconds.startTimer()
  const limit = limitTime(means.timeoutMs, stopSignal)
  const attempted = attemptDelivery(deps, means, delivery, startedAt, limit.signal).finally(limit.clear)
  const result = await attempted.catch((error: unknown) => {
    if (stopSignal.aborted) return undefined
    // After an internal error, the attempt is retried on the schedule, as after any failure, and not in a tight loop.
    log.error(
      { error: describeError(error), delivery: delivery.id },
      'failed to send a webhook delivery because of an internal error',
    )
    return {
      kind: 'internal_error',
      error: "Something went wrong in Outdial, so the event wasn't sent.",
    } as const
  })
  if (result === undefined) return undefined
  const durationMs = deps.clock.now().getTime() - startedAt.getTime()
  means.onResult(delivery, 'statusCode' in result && durationMs < fastResponseMs)
  if (!delivery.isTest) measure({ result: result.kind })
  return result
}

/**
 * Returns a signal that aborts after a time, or if the worker stops. Unlike a signal of `AbortSignal.timeout`, it doesn't
 * outlive its attempt. At thousands of attempts per second, such signals would add up.
 */
function limitTime(timeoutMs: number, stopSignal: AbortSignal): { signal: AbortSignal; clear: () => void } {
  const aborting = new AbortController()
  const stop = () => aborting.abort(stopSignal.reason)
  if (stopSignal.aborted) stop()
  stopSignal.addEventListener('abort', stop)
  const timer = setTimeout(() => aborting.abort(new DOMException('timed out', 'TimeoutError')), timeoutMs)
  const clear = () => {
    clearTimeout(timer)
    stopSignal.removeEventListener('abort', stop)
  }
  return { signal: aborting.signal, clear }
}
