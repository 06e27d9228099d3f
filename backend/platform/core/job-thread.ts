import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { minuteMs } from './durations.ts'
import { threadEnvironment } from './thread-environment.ts'

/** A message from a thread: `ready` once it can take jobs. Then, for each job, any number of results and `done`. */
export type ThreadMessage<Result> = 'ready' | 'done' | { result: Result }

/** A worker thread that runs one job at a time. A long computation in it doesn't block the service's event loop. */
export interface JobThread<Job, Result> {
  /**
   * Runs a job, and passes each result to `onResult`. Ends the thread if the job takes longer than `timeoutMs`; the next
   * job starts a new one. Call it only when no job is running.
   */
  run(job: Job, timeoutMs: number, onResult: (result: Result) => void): Promise<'done' | 'timed out'>
  /**
   * Leaves the thread to the next `JobThread` with the same file and heap limit, because starting a thread takes a third of
   * a second.
   */
  close(): Promise<void>
}

/** A running thread that its `JobThread` no longer uses, and that another one can take. */
interface WaitingThread {
  worker: Worker
  /** Removes the timer and the listener that the thread has while it waits. */
  stop: () => void
}

/** The threads that can be taken, by file and heap limit. */
const waitingThreads = new Map<string, WaitingThread[]>()

/**
 * Maximum number of waiting threads per file and heap limit. More are rarely needed at the same time, and each takes
 * memory.
 */
const maxWaiting = 2

/** Creates a `JobThread`. Its first job takes a waiting thread or starts one, which ends after a minute without a job. */
export function createJobThread<Job, Result>(file: URL, maxHeapMegabytes: number): JobThread<Job, Result> {
  const key = `${file.href} ${maxHeapMegabytes}`
  const waiting = waitingThreads.get(key) ?? []
  waitingThreads.set(key, waiting)
  let thread: Promise<Worker> | undefined
  let stopWatching = () => {}
  let idleTimer: NodeJS.Timeout | undefined

  const startThread = async (): Promise<Worker> => {
    const worker = new Worker(file, {
      env: threadEnvironment(),
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    })
    worker.on('error', () => {}) // `runJob` reports an error during a job
    await once(worker, 'message') // waits for 'ready'
    return worker
  }

  const getThread = (): Promise<Worker> => {
    if (thread !== undefined) return thread
    const left = waiting.pop()
    left?.stop()
    const started = left === undefined ? startThread() : Promise.resolve(left.worker)
    thread = started
    const drop = () => {
      if (thread === started) thread = undefined
    }
    const watch = (worker: Worker) => {
      worker.once('exit', drop)
      stopWatching = () => worker.off('exit', drop)
    }
    started.then(watch, drop)
    return started
  }

  const end = async () => {
    const ending = thread
    thread = undefined
    await (await ending)?.terminate()
  }

  return {
    run: async (job, timeoutMs, onResult) => {
      clearTimeout(idleTimer)
      const worker = await getThread()
      worker.ref()
      const outcome = await runJob(worker, job, timeoutMs, onResult).catch(async (error: unknown) => {
        await end()
        throw error
      })
      // An idle thread must not keep the process running.
      worker.unref()
      if (outcome === 'timed out') await end()
      else idleTimer = setTimeout(() => void end(), idleMs).unref()
      return outcome
    },
    close: async () => {
      clearTimeout(idleTimer)
      const worker = await thread
      thread = undefined
      stopWatching()
      if (worker !== undefined) await leave(worker, waiting)
    },
  }
}

/** Lets a thread wait for another `JobThread`. Ends it if enough threads already wait, or if it isn't taken within a minute. */
async function leave(worker: Worker, waiting: WaitingThread[]): Promise<void> {
  if (waiting.length >= maxWaiting) {
    await worker.terminate()
    return
  }
  const remove = () => {
    left.stop()
    waiting.splice(waiting.indexOf(left), 1)
  }
  const end = () => {
    remove()
    void worker.terminate()
  }
  const timer = setTimeout(end, idleMs).unref()
  const stop = () => {
    clearTimeout(timer)
    worker.off('exit', remove)
  }
  const left: WaitingThread = { worker, stop }
  worker.once('exit', remove)
  waiting.push(left)
}

/**
 * How long a thread waits for its next job, which may continue what the last one began. The SQL statements between two jobs
 * take less time than this.
 */
const idleMs = minuteMs

function runJob<Job, Result>(
  worker: Worker,
  job: Job,
  timeoutMs: number,
  onResult: (result: Result) => void,
): Promise<'done' | 'timed out'> {
  const { promise, resolve, reject } = Promise.withResolvers<'done' | 'timed out'>()
  const onMessage = (message: ThreadMessage<Result>) => {
    if (typeof message === 'object') onResult(message.result)
    else resolve('done')
  }
  const onExit = () => reject(new Error('the thread ended before its job was done'))
  const timer = setTimeout(() => resolve('timed out'), timeoutMs)
  worker.on('message', onMessage).once('error', reject).once('exit', onExit)
  worker.postMessage(job)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', onMessage).off('error', reject).off('exit', onExit)
  })
}
