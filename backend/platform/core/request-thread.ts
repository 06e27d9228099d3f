import { parentPort, Worker } from 'node:worker_threads'
import { rejectOnAbort } from './abort.ts'
import { minuteMs } from './durations.ts'
import { threadEnvironment } from './thread-environment.ts'

/** A worker thread that works on many requests at the same time. It doesn't block the service's event loop. */
interface RequestThread<Request, Result> {
  /** Sends a request. If the signal aborts, rejects with the signal's reason, and the thread stops working on the request. */
  send(request: Request, signal?: AbortSignal): Promise<Result>
}

type ToThread<Request> = { id: number; request: Request } | { canceledId: number }

interface FromThread<Result> {
  id: number
  result: Result
}

/** A worker and its own requests. A worker that's still ending must not fail the requests of the next one. */
interface Running<Result> {
  worker: Worker
  pending: Map<number, Omit<PromiseWithResolvers<Result>, 'promise'>>
  idleTimer?: NodeJS.Timeout
}

/** Creates a thread that starts with the first request, and ends after `idleMs` without requests. */
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
    worker.on('error', () => {}) // the worker also exits, which is handled below
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
 * @param handle must not reject, because errors lose their class on the way to the main thread
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
