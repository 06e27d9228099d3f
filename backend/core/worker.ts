import type { Clock } from './clock.ts'

/** What a worker leases and does. Jobs are leased by `fetch`, so that several processes can share a table. */
export interface WorkerOptions<Job> {
  /** Leases at most `capacity` jobs that are due. */
  fetch(capacity: number): Promise<Job[]>
  /** Does one job. `signal` aborts if the job still runs `timeoutMs` after the worker was stopped. */
  handle(job: Job, signal: AbortSignal): Promise<void>
  /** Hears of every error of `fetch` (without a job) and `handle` (with it). */
  onError(error: unknown, job?: Job): void
  /** Jobs that run at once. */
  concurrency: number
  /** Jobs that are leased at once. */
  batchSize: number
  /** Milliseconds between looks at the table while nobody wakes the worker. */
  pollMs: number
}

export interface Worker {
  /** There may be something to do. Cheap; call it after every commit that made some. */
  notify(): void
  /** Leases no more jobs and resolves when the running ones are done. Aborts them after `timeoutMs`. */
  stop(timeoutMs?: number): Promise<void>
}

/** The one leasing loop, shared by the dialer and the webhook sender. */
export function startWorker<Job>(clock: Clock, options: WorkerOptions<Job>): Worker {
  const stopping = new AbortController()
  const aborting = new AbortController()
  const running = new Set<Promise<void>>()
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

  const start = (job: Job) => {
    // Async, so that what throws at once is that job's error and does not keep the rest of the batch from starting.
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
      isNotified = false
      const found = await startDueJobs().catch((error: unknown) => {
        options.onError(error)
        return 0
      })
      if (found === 0) await waitForWork()
    }
  }
  const looping = loop()

  return {
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
