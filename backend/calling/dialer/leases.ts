import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Deps } from '../../deps.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { createLoop, defaultStalledAfterMs, type Loop } from '../../platform/core/loop.ts'
import { threadEnvironment } from '../../platform/core/thread-environment.ts'
import { getConnectionOptions } from '../../platform/db/connect.ts'
import type { LeaseMessage, LeaseRequest, LeaseThreadOptions } from './lease-thread.ts'

/** Keeps the leases of one worker alive. */
export interface Leases {
  loops: readonly Loop[]
  /** Resolves once leases are being renewed. Don't claim attempts before that. */
  ready: Promise<void>
  /** Renews the lease of an attempt until `release`. `lost` aborts when the lease can no longer be relied on. */
  track(attempt: { id: string; leaseStartedMs: number }): { lost: AbortSignal; release(): void }
  stop(): Promise<void>
}

export interface LeaseTimes {
  leaseMs: number
  heartbeatMs: number
}

const threadFile = new URL('./lease-thread.ts', import.meta.url)

/** How long the thread renews leases while the main thread is stuck. No input keeps the main thread busy that long. */
const maxSilenceMs = minuteMs

/**
 * Renews all tracked leases in one statement every `heartbeatMs`, in a thread. A lease that can't be renewed counts as
 * lost when a quarter of it is left, so this worker hangs up before another worker can take over.
 *
 * Leases run in real time, so this uses monotonic clocks, which tests and clock changes don't affect.
 */
export function startLeaseRenewal(
  { db }: Pick<Deps, 'db'>,
  options: LeaseTimes & { workerId: string },
  onError: (error: unknown) => void,
): Leases {
  const { leaseMs, heartbeatMs } = options
  const tracked = new Map<string, { abandonAt: number; lostController: AbortController }>()
  const toAbandonAt = (leaseStartedMs: number) => leaseStartedMs + leaseMs * 0.75
  const round = createLoop('lease_renewal', defaultStalledAfterMs)
  const mainRanAt = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
  const ready = Promise.withResolvers<void>()
  let isStopping = false

  const markLost = (id: string) => {
    tracked.get(id)?.lostController.abort()
    tracked.delete(id)
  }

  const handle = (message: LeaseMessage) => {
    if (message.type === 'ready') {
      ready.resolve()
      return
    }
    round.comeRound()
    if (message.type === 'failed') {
      onError(message.error)
      return
    }
    const ageMs = Number(process.hrtime.bigint() - message.requestedAt) / 1e6
    for (const id of message.renewed) {
      const lease = tracked.get(id)
      if (lease !== undefined) lease.abandonAt = toAbandonAt(performance.now() - ageMs)
    }
    message.lost.forEach(markLost)
  }

  const startThread = () => {
    const { port1: port, port2: threadPort } = new MessageChannel()
    const connection = getConnectionOptions(db)
    const workerData: LeaseThreadOptions = {
      ...{ port: threadPort, connection, mainRanAt, maxSilenceMs },
      ...options,
    }
    const worker = new Worker(threadFile, {
      env: threadEnvironment(),
      workerData,
      transferList: [threadPort],
    })
    port.on('message', handle)
    worker.on('error', onError)
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    for (const id of tracked.keys()) port.postMessage({ type: 'track', id } satisfies LeaseRequest)
    void exited.then(() => {
      port.close()
      // Without a new thread, other workers would take over the calls in progress.
      if (!isStopping) setTimeout(() => !isStopping && (thread = startThread()), secondMs)
    })
    return { port, worker, exited }
  }
  let thread = startThread()
  const send = (request: LeaseRequest) => thread.port.postMessage(request)

  const dropExpired = () => {
    Atomics.store(mainRanAt, 0, process.hrtime.bigint())
    // If the main thread was busy, this timer can run before waiting messages, which may say that leases were renewed.
    readMessages(thread.port, handle)
    const now = performance.now()
    for (const [id, lease] of tracked) if (lease.abandonAt <= now) markLost(id)
  }
  dropExpired()
  const expiryTimer = setInterval(dropExpired, Math.max(5, heartbeatMs / 10))

  return {
    loops: [round],
    ready: ready.promise,
    track: ({ id, leaseStartedMs }) => {
      const lostController = new AbortController()
      tracked.set(id, { abandonAt: toAbandonAt(leaseStartedMs), lostController })
      send({ type: 'track', id })
      // If the process was suspended after it claimed the attempt, the lease may be lost, and the process must not dial.
      dropExpired()
      const release = () => {
        tracked.delete(id)
        send({ type: 'release', id })
      }
      return { lost: lostController.signal, release }
    },
    stop: async () => {
      isStopping = true
      clearInterval(expiryTimer)
      send({ type: 'stop' })
      const timer = setTimeout(() => void thread.worker.terminate(), stopTimeoutMs)
      await thread.exited
      clearTimeout(timer)
    },
  }
}

/** The time that the thread has to close its connection, which a silent database can delay. */
const stopTimeoutMs = 2 * secondMs

function readMessages(port: MessagePort, handle: (message: LeaseMessage) => void): void {
  for (let next = receive(port); next !== undefined; next = receive(port)) handle(next.message)
}

const receive = (port: MessagePort): { message: LeaseMessage } | undefined => receiveMessageOnPort(port)
