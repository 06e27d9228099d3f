import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { decideAnswer } from './answer.ts'
import type { ChatRequest } from './chat-protocol.ts'
import { streamCompletion, writeCompletion } from './write-answer.ts'

export interface FakeRequest {
  body: ChatRequest
  headers: IncomingHttpHeaders
  /** Milliseconds of `performance.now()` when the request's last byte arrived. */
  receivedAt: number
  /** When the first word of a streamed answer was written. Undefined before that, and for other answers. */
  firstWordAt: number | undefined
  /** True once the response was sent, or the connection was closed before that. */
  isOver: boolean
  /** True if the client closed the connection before the response was complete. */
  isAborted: boolean
}

export interface FakeModel {
  /** The base URL, for LLM_URL. */
  url: string
  /** The last requests for completions, oldest first. */
  requests: FakeRequest[]
  /** Behaviors of all models, in addition to those in a model's name. Tests change them between requests. */
  behaviors: string[]
  /** Returns how many connections clients have opened since the start. */
  countConnections(): number
  /** Returns how many connections are open now. */
  countOpenConnections(): Promise<number>
  close(): Promise<void>
}

const maxRequests = 1_000
const fakeModelName = 'outdial-fake'

/** Starts a server that answers like a language model. */
export async function startFakeModel({ port = 0, host = '127.0.0.1' } = {}): Promise<FakeModel> {
  const requests: FakeRequest[] = []
  let connections = 0
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  // Clients decide how long a connection stays open: the server has no limit and suggests none.
  server.keepAliveTimeout = 0
  server.on('connection', () => (connections += 1))

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const content = await text(request)
    if (request.method === 'GET' && request.url === '/v1/models') {
      respond(response, 200, { object: 'list', data: [{ id: fakeModelName, object: 'model' }] })
      return
    }
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      respondWithError(response, 404, 'There is nothing at this address.')
      return
    }
    const body = JSON.parse(content) as ChatRequest
    const received: FakeRequest = {
      body,
      headers: request.headers,
      receivedAt: performance.now(),
      firstWordAt: undefined,
      isOver: false,
      isAborted: false,
    }
    response.once('close', () => {
      received.isOver = true
      received.isAborted = !response.writableFinished
    })
    requests.push(received)
    if (requests.length > maxRequests) requests.shift()
    await complete(received, response)
  }

  const complete = async (received: FakeRequest, response: ServerResponse) => {
    const { body } = received
    const [name, ...named] = body.model.split(':')
    const behaviors = new Set([...named, ...model.behaviors])
    const status = [...behaviors].find((behavior) => /^[45]\d\d$/.test(behavior))
    if (name !== fakeModelName) respondWithError(response, 404, `There is no model ${body.model}.`)
    // A careless server repeats what it got, so tests can check that errors reach neither people nor the log.
    else if (status) respondWithError(response, Number(status), `Failed for ${JSON.stringify(body.messages)}`)
    else if (behaviors.has('rejects-usage-option') && body.stream_options)
      respondWithError(response, 400, 'Unknown parameter: stream_options.')
    else if (behaviors.has('rejects-schema') && body.response_format?.type === 'json_schema')
      respondWithError(response, 400, 'json_schema is not supported.')
    else if (!behaviors.has('silent')) {
      const onFirstWord = () => (received.firstWordAt = performance.now())
      const answer = behaviors.has('empty') ? { text: '', toolCalls: [] } : decideAnswer(body, behaviors)
      const writing = { request: body, behaviors, answer, onFirstWord }
      if (body.stream) await streamCompletion(response, writing)
      else writeCompletion(response, writing)
    }
  }

  server.listen(port, host)
  await once(server, 'listening')
  const model: FakeModel = {
    url: `http://${host}:${(server.address() as AddressInfo).port}/v1`,
    requests,
    behaviors: [],
    countConnections: () => connections,
    countOpenConnections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return model
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const respondWithError = (response: ServerResponse, status: number, message: string) =>
  respond(response, status, { error: { message, type: 'fake_error' } })
