import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach } from '@jest/globals'

interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Responder = (received: ReceivedRequest, response: ServerResponse, number: number) => void

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
        const { method = '', url: path = '', headers } = request
        const received = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
        this.requests.push(received)
        this.respond(received, response, this.requests.length)
      })
    })
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Returns the receiver's URL. A sender treats `localhost` and `127.0.0.1` as different hosts. */
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

  /** Responds to every request with these bytes instead of an HTTP response, and closes the connection. */
  respondWithBytes(bytes: string): void {
    this.respond = (_request, { socket }) => socket?.end(bytes, 'latin1')
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Gives a test file a receiver. Before each test, it gets a new port, has no recorded requests, and responds with 204. */
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

/** Responses that aren't valid HTTP/1.1, as some servers send them. */
export const invalidResponses: readonly [name: string, bytes: string][] = [
  ['lines that end without a carriage return', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
  ["a space in a header's name", 'HTTP/1.1 200 OK\r\nBad Name: 2\r\n\r\n'],
  ["a control character in a header's value", 'HTTP/1.1 200 OK\r\nX-Test: a\x01b\r\n\r\n'],
  ['another version', 'HTTP/2 200\r\n\r\n'],
  ['a status in letters', 'HTTP/1.1 abc OK\r\n\r\n'],
  ['a status below 100', 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n'],
  ['an upgrade without its header', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
]
