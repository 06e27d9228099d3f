import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { startWorker, type Worker, type WorkerOptions } from '../../platform/core/worker.ts'
import { ManualClock } from '../support/clock.ts'
import { waitUntil } from '../support/wait.ts'

let clock: ManualClock
let worker: Worker | undefined
let errors: { error: unknown; job: string | undefined }[]
beforeEach(() => {
  clock = new ManualClock()
  errors = []
})
afterEach(() => worker?.stop())

/** Starts a worker that finds no jobs, unless the test overrides its options. */
function start(work: Partial<WorkerOptions<string>>): Worker {
  worker = startWorker<string>(clock, {
    name: 'test',
    fetch: async () => [],
    handle: async () => {},
    onError: (error, job) => void errors.push({ error, job }),
    concurrency: 10,
    batchSize: 10,
    pollMs: 1_000,
    ...work,
  })
  return worker
}

/** Returns a `fetch` function that returns the next batch at each call, and the capacities with which it was called. */
function createBatches(...batches: string[][]) {
  const capacities: number[] = []
  const fetch = async (capacity: number) => {
    capacities.push(capacity)
    return batches[capacities.length - 1] ?? []
  }
  return { capacities, fetch }
}

function createSignal() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}

/** Waits until the worker waits for its next poll or for a notification. */
const idle = () => waitUntil(() => clock.waiting === 1)

it('fetches again immediately while it finds jobs, then at every poll', async () => {
  const { capacities, fetch } = createBatches(['a'], ['b'])
  const done: string[] = []
  start({ fetch, handle: async (job) => void done.push(job) })
  await idle()
  const looks = capacities.length
  clock.advance(1_000)
  await waitUntil(() => capacities.length > looks)
  expect(done).toEqual(['a', 'b'])
})

it("waits for the set interval before it fetches again, even if it's notified earlier", async () => {
  const { capacities, fetch } = createBatches(['a'], [])
  const fetchedAt: number[] = []
  const intervalMs = 200
  const timedFetch = (capacity: number) => {
    fetchedAt.push(performance.now())
    return fetch(capacity)
  }
  start({ fetch: timedFetch, intervalMs: () => intervalMs }).notify()
  await waitUntil(() => capacities.length === 2)
  const [first = 0, second = 0] = fetchedAt
  expect(second - first).toBeGreaterThan(intervalMs / 2) // timers can be early by a millisecond
})

it('stops without waiting for the interval', async () => {
  const { capacities, fetch } = createBatches(['a'])
  start({ fetch, intervalMs: () => 2 ** 30 })
  await waitUntil(() => capacities.length === 1)
  await worker?.stop()
  expect(capacities).toHaveLength(1)
})

it("fetches again if it's notified during a fetch", async () => {
  const first = createSignal()
  let looks = 0
  const sender = start({
    fetch: async () => {
      looks += 1
      if (looks === 1) await first.passed
      return []
    },
  })
  await waitUntil(() => looks === 1)
  sender.notify()
  first.open()
  await idle()
  expect(looks).toBe(2)
})

it('fetches only as many jobs as its concurrency and batch size allow', async () => {
  const { capacities, fetch } = createBatches(['a', 'b'], ['c'])
  const signals = new Map(['a', 'b', 'c'].map((job) => [job, createSignal()]))
  start({
    fetch,
    concurrency: 3,
    batchSize: 2,
    handle: (job) => signals.get(job)?.passed ?? Promise.reject(new Error(job)),
  })
  await idle()
  expect(capacities).toEqual([2, 1])
  signals.get('b')?.open()
  await waitUntil(() => capacities.length === 3)
  expect(capacities).toEqual([2, 1, 1])
  for (const { open } of signals.values()) open()
})

it('if a fetch fails, reports the error once, and waits for the next poll', async () => {
  let looks = 0
  const failure = new Error('the database is down')
  start({
    fetch: async () => {
      looks += 1
      throw failure
    },
  })
  await idle()
  expect(looks).toBe(1)
  expect(errors).toEqual([{ error: failure, job: undefined }])
  clock.advance(1_000)
  await waitUntil(() => looks === 2)
})

it.each([
  ['returns a rejected promise', async (error: Error) => Promise.reject(error)],
  [
    'throws synchronously',
    (error: Error) => {
      throw error
    },
  ],
])('when a job %s, reports the error, and continues with the rest of the batch', async (_name, fail) => {
  const failure = new Error('the job failed')
  const done: string[] = []
  const { fetch } = createBatches(['bad', 'good'])
  start({ fetch, handle: (job) => (job === 'bad' ? fail(failure) : Promise.resolve(void done.push(job))) })
  await idle()
  expect(errors).toEqual([{ error: failure, job: 'bad' }])
  expect(done).toEqual(['good'])
})

it('when it stops, fetches no more jobs, and waits for the running ones', async () => {
  const job = createSignal()
  const { capacities, fetch } = createBatches(['a'])
  const stopping = start({ fetch, handle: () => job.passed })
  await idle()
  const looks = capacities.length
  let stopped = false
  const stop = stopping.stop(10_000).then(() => (stopped = true))
  await idle()
  stopping.notify()
  clock.advance(9_999)
  await new Promise((resolve) => setImmediate(resolve))
  expect(stopped).toBe(false)
  job.open()
  await stop
  expect(capacities).toHaveLength(looks)
})

it('when it stops, aborts jobs that are still running after the stop timeout', async () => {
  let reason: unknown
  const { fetch } = createBatches(['a'])
  const handle = (_job: string, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
        resolve()
      })
    })
  const stopping = start({ fetch, handle })
  await idle()
  const stop = stopping.stop(10_000)
  await idle()
  expect(reason).toBeUndefined()
  clock.advance(10_000)
  await stop
  expect(reason).toMatchObject({ name: 'AbortError' })
})

it('handles the jobs of a fetch that was in progress when the worker was stopped', async () => {
  const look = createSignal()
  const done: string[] = []
  const stopping = start({
    fetch: async () => {
      await look.passed
      return ['a']
    },
    handle: async (job) => void done.push(job),
  })
  const stop = stopping.stop(1_000)
  look.open()
  await stop
  expect(done).toEqual(['a'])
})
