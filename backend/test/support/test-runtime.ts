import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type CallState, RuntimeDialRequest, type RuntimeReport } from '@outdial/contract'

interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** An agent runtime that the test controls. */
export interface TestRuntime {
  url: string
  requests: ReceivedRequest[]
  /** Returns all dial requests so far, including repeated ones. */
  dialRequests: () => RuntimeDialRequest[]
  requestsWith: (method: 'GET' | 'DELETE') => ReceivedRequest[]
  /** The reports that the runtime returns for an attempt. If the map has no entry for an attempt, the runtime returns 404. */
  reportsByAttempt: Map<string, RuntimeReport[]>
  /**
   * The status that the runtime returns for a method; by default, the one that the docs require. `cut` closes the connection
   * after the dial request was accepted, and `lost` before that.
   */
  statusByMethod: Partial<Record<string, number | 'cut' | 'lost'>>
  /** The body to return for an attempt instead of its reports. */
  stateBody: string | undefined
  /** Headers to add to the response for an attempt. */
  stateHeaders: Record<string, string>
  /** The runtime accepts dial requests only after this promise resolves. */
  readyToAccept: Promise<void>
  /** Stops the runtime. `start` starts it again at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startTestRuntime(): Promise<TestRuntime> {
  let port = 0
  const requests: ReceivedRequest[] = []
  const reportsByAttempt: TestRuntime['reportsByAttempt'] = new Map()
  const statusByMethod: TestRuntime['statusByMethod'] = {}

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request
    const received = { method, path, headers, body: await text(request) }
    requests.push(received)
    if (method === 'POST') await runtime.readyToAccept
    const id = path.split('/').at(-1) ?? ''
    const status = statusByMethod[method]
    if (method === 'POST' && (status === undefined || status === 'cut')) {
      reportsByAttempt.set(RuntimeDialRequest.parse(JSON.parse(received.body)).attempt_id, [])
    }
    if (status === 'cut' || status === 'lost') return request.socket.destroy()
    if (status !== undefined) return response.writeHead(status).end()
    if (method === 'POST') return response.writeHead(202).end()
    const reports = reportsByAttempt.get(id)
    if (reports === undefined) return response.writeHead(404).end()
    if (method === 'DELETE') return response.writeHead(204).end()
    const state: CallState = { attempt_id: id, reports }
    return response
      .writeHead(200, { 'content-type': 'application/json', ...runtime.stateHeaders })
      .end(runtime.stateBody ?? JSON.stringify(state))
  }
  let server = createServer()
  const start = async () => {
    server = createServer((request, response) => void handle(request, response)).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  const runtime: TestRuntime = {
    stateBody: undefined,
    stateHeaders: {},
    readyToAccept: Promise.resolve(),
    url: '',
    requests,
    dialRequests: () =>
      requests
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => RuntimeDialRequest.parse(JSON.parse(body))),
    requestsWith: (method) => requests.filter((request) => request.method === method),
    reportsByAttempt,
    statusByMethod,
    start,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  await start()
  runtime.url = `http://127.0.0.1:${port}`
  return runtime
}
