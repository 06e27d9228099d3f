import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { EventStream } from '../../mcp/event-stream.ts'
import type { ToolTransport } from './transport.ts'

/**
 * HTTP+SSE (MCP 2024-11-05): what the server says travels on one stream, what the client says is posted to the address
 * that the stream begins with.
 */
export class SseTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #stream: EventStream

  constructor(res: ServerResponse) {
    this.#stream = new EventStream(res)
    res.on('close', () => this.onclose?.())
  }

  /** `address`: where messages of this session are posted. */
  open(messagesUrl: string, requestId: string): void {
    this.#stream.open({ 'X-Request-Id': requestId })
    this.#stream.send('endpoint', messagesUrl)
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.write(JSON.stringify(message))
  }

  write(json: string): void {
    this.#stream.send('message', json)
  }

  dropRequest(): void {}

  keepAlive(): void {
    this.#stream.keepAlive()
  }

  async close(): Promise<void> {
    this.#stream.end()
    // Not when the stream has closed: a client that does not read could keep that from happening.
    this.onclose?.()
  }
}
