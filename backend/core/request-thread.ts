import { parentPort, Worker } from 'node:worker_threads'
import { rejectOnAbort } from './abort.ts'
import { minuteMs } from './durations.ts'

/** A worker thread that works on many requests at the same time. Its event loop isn't the service's. */
export interface RequestThread<Request, Result> {
  /** Rejects with the signal's reason if the signal aborts. The thread then stops working on the request. */
  send(request: Request, signal?: AbortSignal): Promise<Result>
}

type ToThread<Request> = { id: number; request: Request } | { canceledId: number }

interface FromThread<Result> {
  id: number
  result: Result
}

/** Starts the thread with its first request, and ends it after a minute without one. */
export function createRequestThread<Request, Result>(
  file: URL,
  maxHeapMegabytes: number,
): RequestThread<Request, Result> {
  const pending = new Map<number, Omit<PromiseWithResolvers<Result>, 'promise'>>()
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let lastId = 0

  const startWorker = (): Worker => {
    const started = new Worker(file, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    })
    started.on('message', ({ id, result }: FromThread<Result>) => pending.get(id)?.resolve(result))
    started.on('error', () => {}) // it also exits
    started.once('exit', () => {
      if (worker === started) worker = undefined
      for (const { reject } of pending.values())
        reject(new Error('the thread ended before its request was done'))
    })
    return started
  }
  const end = () => {
    void worker?.terminate()
    worker = undefined
  }

  return {
    send: async (request, signal = new AbortController().signal) => {
      signal.throwIfAborted()
      clearTimeout(idleTimer)
      const id = (lastId += 1)
      const { promise, ...settle } = Promise.withResolvers<Result>()
      pending.set(id, settle)
      const thread = (worker ??= startWorker())
      const post = (message: ToThread<Request>) => thread.postMessage(message)
      thread.ref()
      post({ id, request })
      try {
        return await rejectOnAbort(promise, signal)
      } finally {
        if (signal.aborted) post({ canceledId: id })
        pending.delete(id)
        if (pending.size === 0) {
          // An idle thread must not keep the process running.
          thread.unref()
          idleTimer = setTimeout(end, minuteMs).unref()
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
