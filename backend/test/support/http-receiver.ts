import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach } from '@jest/globals'

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export type Responder = (received: ReceivedRequest, response: ServerResponse, number: number) => void

/** A server on loopback that records the requests it receives. By default, it responds with 204. */
export class HttpReceiver {
  readonly requests: ReceivedRequest[] = []
  readonly #server: Server
  respond: Responder = (_request, response) => response.writeHead(204).end()

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { url: path = '', headers } = request
        const received = { path, headers, body: Buffer.concat(chunks).toString('utf8') }
        this.requests.push(received)
        this.respond(received, response, this.requests.length)
      })
    })
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Returns the receiver's URL. For the sender, `localhost` and `127.0.0.1` are different hosts. */
  url(path = '/hook', host = '127.0.0.1'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** Responds to every request with a status. */
  respondWith(status: number, headers: Record<string, string> = {}): void {
    this.respond = (_request, response) => response.writeHead(status, headers).end()
  }

  /** Leaves every request without a response. */
  neverRespond(): void {
    this.respond = () => {}
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Gives a test file a receiver. For each test, it has a new port and no recorded requests, and responds with 204. */
export function useHttpReceiver(): HttpReceiver {
  const receiver = new HttpReceiver()
  beforeEach(async () => {
    receiver.requests.length = 0
    receiver.respondWith(204)
    await receiver.listen()
  })
  afterEach(() => receiver.close())
  return receiver
}
