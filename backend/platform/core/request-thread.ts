import { parentPort, Worker } from 'node:worker_threads'
import { rejectOnAbort } from './abort.ts'
import { minuteMs } from './durations.ts'
import { threadEnvironment } from './thread-environment.ts'

/** A worker thread that works on many requests at the same time. Its event loop isn't the service's. */
interface RequestThread<Request, Result> {
  /** Rejects with the signal's reason if the signal aborts. The thread then stops working on the request. */
  send(request: Request, signal?: AbortSignal): Promise<Result>
}

type ToThread<Request> = { id: number; request: Request } | { canceledId: number }

interface FromThread<Result> {
  id: number
  result: Result
}

/** A worker and its requests. The one before it can still be ending, and must not fail the requests of the next. */
interface Running<Result> {
  worker: Worker
  pending: Map<number, Omit<PromiseWithResolvers<Result>, 'promise'>>
  idleTimer?: NodeJS.Timeout
}

/** Starts the thread with its first request, and ends it after `idleMs` without one. */
export function createRequestThread<Request, Result>(
  file: URL,
  maxHeapMegabytes: number,
  idleMs = minuteMs,
): RequestThread<Request, Result> {
  let running: Running<Result> | undefined
  let lastId = 0

  const start = (): Running<Result> => {
    const worker = new Worker(file, {
      env: threadEnvironment(),
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    })
    const started: Running<Result> = { worker, pending: new Map() }
    worker.on('message', ({ id, result }: FromThread<Result>) => started.pending.get(id)?.resolve(result))
    worker.on('error', () => {}) // it also exits
    worker.once('exit', () => {
      if (running === started) running = undefined
      for (const { reject } of started.pending.values())
        reject(new Error('the thread ended before its request was done'))
    })
    return started
  }
  const end = ({ worker }: Running<Result>) => {
    if (running?.worker === worker) running = undefined
    void worker.terminate()
  }

  return {
    send: async (request, signal = new AbortController().signal) => {
      signal.throwIfAborted()
      const current = (running ??= start())
      const { worker, pending } = current
      clearTimeout(current.idleTimer)
      const id = (lastId += 1)
      const { promise, ...settle } = Promise.withResolvers<Result>()
      pending.set(id, settle)
      const post = (message: ToThread<Request>) => worker.postMessage(message)
      worker.ref()
      post({ id, request })
      try {
        return await rejectOnAbort(promise, signal)
      } finally {
        if (signal.aborted) post({ canceledId: id })
        pending.delete(id)
        if (pending.size === 0) {
          // An idle thread must not keep the process running.
          worker.unref()
          current.idleTimer = setTimeout(end, idleMs, current).unref()
        }
      }
    },
  }
}

/**
 * Responds to the requests that the main thread sends to this one.
 *
 * @param handle must not reject, because errors don't keep their class on the way
 */
export function serveRequests<Request, Result>(
  handle: (request: Request, signal: AbortSignal) => Promise<Result>,
): void {
  const controllers = new Map<number, AbortController>()
  parentPort?.on('message', (message: ToThread<Request>) => {
    if ('canceledId' in message) {
      controllers.get(message.canceledId)?.abort()
      return
    }
    const { id, request } = message
    const controller = new AbortController()
    controllers.set(id, controller)
    void handle(request, controller.signal).then((result) => {
      controllers.delete(id)
      parentPort?.postMessage({ id, result } satisfies FromThread<Result>)
    })
  })
}
