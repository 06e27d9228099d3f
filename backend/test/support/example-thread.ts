import { serveRequests } from '../../platform/core/request-thread.ts'

export type ExampleRequest =
  | { type: 'double'; value: number }
  /** Keeps the thread busy until the main thread writes to the flag. */
  | { type: 'keep busy'; flag: Int32Array }
  /** Waits until it's canceled, and then responds with the number of waits that were canceled so far. */
  | { type: 'wait' }
  | { type: 'count canceled' }
  /** Responds with the number of environment variables, without the one for the compile cache's folder. */
  | { type: 'count variables' }
  | { type: 'exit' }

let canceled = 0

serveRequests<ExampleRequest, number>(async (request, signal) => {
  switch (request.type) {
    case 'double':
      return 2 * request.value
    case 'keep busy':
      while (Atomics.load(request.flag, 0) === 0);
      return 0
    case 'wait':
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          canceled += 1
          resolve(canceled)
        }),
      )
    case 'count canceled':
      return canceled
    case 'count variables':
      return Object.keys(process.env).filter((name) => name !== 'NODE_COMPILE_CACHE').length
    case 'exit':
      return process.exit()
  }
})
