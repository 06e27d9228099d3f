import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { startWorker, type Worker, type WorkerOptions } from '../../core/worker.ts'
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

/** A worker whose parts the test replaces; by default it finds nothing. */
function start(work: Partial<WorkerOptions<string>>): Worker {
  worker = startWorker<string>(clock, {
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

/** Gives out each batch once, in answer to one look at the table. */
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

/** Until the worker waits for its poll or a wake. */
const idle = () => waitUntil(() => clock.waiting === 1)

it('looks again at once while it finds something, then at every poll', async () => {
  const { capacities, fetch } = createBatches(['a'], ['b'])
  const done: string[] = []
  start({ fetch, handle: async (job) => void done.push(job) })
  await idle()
  const looks = capacities.length
  clock.advance(1_000)
  await waitUntil(() => capacities.length > looks)
  expect(done).toEqual(['a', 'b'])
})

it('looks again when it was woken in the middle of a look', async () => {
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

it('runs no more at once than it may, and asks for what it has room for', async () => {
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

it('waits for the next poll after an error of the table, and tells of it once', async () => {
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
  ['is rejected', async (error: Error) => Promise.reject(error)],
  [
    'throws at once',
    (error: Error) => {
      throw error
    },
  ],
])('goes on with the rest of the batch when a job %s', async (_name, fail) => {
  const failure = new Error('this one cannot be done')
  const done: string[] = []
  const { fetch } = createBatches(['bad', 'good'])
  start({ fetch, handle: (job) => (job === 'bad' ? fail(failure) : Promise.resolve(void done.push(job))) })
  await idle()
  expect(errors).toEqual([{ error: failure, job: 'bad' }])
  expect(done).toEqual(['good'])
})

it('leases nothing more when it stops, and waits for what runs', async () => {
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

it('aborts what still runs when the grace is over', async () => {
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

it('still does what a look brings that was under way when it was told to stop: it is leased already', async () => {
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
