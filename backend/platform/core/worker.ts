import { setTimeout } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import { createLoop, defaultStalledAfterMs, type Loop } from './loop.ts'

/** How a worker leases and handles jobs. `fetch` leases them, so that several processes can share a table. */
export interface WorkerOptions<Job> {
  /** The name of its loop in /readyz and the metrics. */
  name: string
  /** Milliseconds without a new round after which the loop counts as stalled. */
  stalledAfterMs?: number
  /** Leases at most `capacity` jobs that are due. */
  fetch(capacity: number): Promise<Job[]>
  /** Handles a job. `signal` aborts if the job is still running `timeoutMs` after the worker was stopped. */
  handle(job: Job, signal: AbortSignal): Promise<void>
  /** Called for every error of `fetch` (without a job) and `handle` (with its job). */
  onError(error: unknown, job?: Job): void
  /** Maximum number of jobs that run at the same time. */
  concurrency: number
  /** Maximum number of jobs per `fetch`. */
  batchSize: number
  /** Milliseconds between fetches while the worker isn't notified. */
  pollMs: number
  /**
   * Returns the minimum time between the start of a fetch that found `found` jobs in `tookMs`, and the start of the next
   * one. In milliseconds; 0 by default. Meanwhile, jobs and capacity gather, because a fetch of many jobs costs little more
   * than a fetch of one.
   */
  intervalMs?: (found: number, tookMs: number) => number
}

export interface Worker {
  loops: readonly Loop[]
  /** Fetches soon, because there may be work. Cheap; call it after every commit that creates work. */
  notify(): void
  /** Stops leasing jobs and resolves when the running ones are done. Aborts them after `timeoutMs`. */
  stop(timeoutMs?: number): Promise<void>
}

/** Starts a loop that leases and handles jobs, for the dialer, the webhook sender, and the importer. */
export function startWorker<Job>(clock: Clock, options: WorkerOptions<Job>): Worker {
  const { intervalMs = () => 0 } = options
  const stopping = new AbortController()
  const aborting = new AbortController()
  const running = new Set<Promise<void>>()
  const round = createLoop(options.name, options.stalledAfterMs ?? defaultStalledAfterMs)
  let isNotified = false
  let interruptWait = () => {}

  const notify = () => {
    isNotified = true
    interruptWait()
  }

  const waitForWork = async () => {
    if (isNotified || stopping.signal.aborted) return
    const waiting = new AbortController()
    interruptWait = () => waiting.abort()
    await clock.wait(options.pollMs, waiting.signal)
    interruptWait = () => {}
  }

  /** Waits in real time, because a test's clock may be stopped. */
  const waitUntil = async (time: number) => {
    const waitMs = time - performance.now()
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
  }

  const start = (job: Job) => {
    // Async, so that a synchronous error belongs to its job and the rest of the batch still starts.
    const handle = async () => options.handle(job, aborting.signal)
    const done: Promise<void> = handle()
      .catch((error: unknown) => options.onError(error, job))
      .finally(() => {
        running.delete(done)
        notify()
      })
    running.add(done)
  }

  const startDueJobs = async (): Promise<number> => {
    const capacity = Math.min(options.concurrency - running.size, options.batchSize)
    if (capacity <= 0) return 0
    const jobs = await options.fetch(capacity)
    jobs.forEach(start)
    return jobs.length
  }

  const loop = async () => {
    while (!stopping.signal.aborted) {
      round.comeRound()
      isNotified = false
      const fetchedAt = performance.now()
      const found = await startDueJobs().catch((error: unknown) => {
        options.onError(error)
        return 0
      })
      const tookMs = performance.now() - fetchedAt
      if (found === 0) await waitForWork()
      await waitUntil(fetchedAt + intervalMs(found, tookMs))
    }
  }
  const looping = loop()

  return {
    loops: [round],
    notify,
    stop: async (timeoutMs = 0) => {
      stopping.abort()
      interruptWait()
      await looping
      const finished = new AbortController()
      const abortAfterTimeout = clock.wait(timeoutMs, finished.signal).then(() => aborting.abort())
      await Promise.allSettled(running)
      finished.abort()
      await abortAfterTimeout
    },
  }
}
