import type { ServerResponse } from 'node:http'
import type { TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { malformedMessage } from '../../mcp/tool-server-error.ts'
import { EventStream } from '../../mcp/event-stream.ts'
import type { ToolTransport } from './transport.ts'

/** Milliseconds after which a session that nobody used, and no stream holds open, is forgotten. */
const idleTimeoutMs = 600_000

/** Answers a post; without an answer where there will be none. */
type Reply = (json?: string) => void

/**
 * Streamable HTTP (MCP 2025-11-25): each request is answered where it was posted, and what the server says by itself
 * goes on a stream of its own, if the client opens one.
 */
export class StreamableTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #replies = new Map<RequestId, Reply>()
  #stream: EventStream | undefined
  #lastUsedAt: number

  constructor(now: number) {
    this.#lastUsedAt = now
  }

  async start(): Promise<void> {}

  /** @throws {Refusal} malformed_json where another request of this id is not answered yet */
  request(message: JSONRPCRequest, now: number, reply: Reply): void {
    this.#lastUsedAt = now
    if (this.#replies.has(message.id))
      throw malformedMessage('Another request of this id is not answered yet.', 'id')
    this.#replies.set(message.id, reply)
    this.onmessage?.(message)
  }

  notify(message: JSONRPCMessage, now: number): void {
    this.#lastUsedAt = now
    this.onmessage?.(message)
  }

  /** A client that comes back takes the stream over. */
  listen(res: ServerResponse, headers: Record<string, string>): void {
    this.#stream?.end()
    const stream = new EventStream(res)
    this.#stream = stream
    stream.open(headers)
    stream.flush()
    res.on('close', () => {
      if (this.#stream === stream) this.#stream = undefined
    })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const requestId = 'method' in message ? options?.relatedRequestId : message.id
    this.write(JSON.stringify(message), requestId)
  }

  write(json: string, requestId?: RequestId): void {
    if (requestId === undefined) {
      this.#stream?.send('message', json)
      return
    }
    this.#sendReply(requestId, json)
  }

  dropRequest(requestId: RequestId): void {
    this.#sendReply(requestId)
  }

  keepAlive(now: number): void {
    if (this.#stream !== undefined || this.#replies.size > 0) this.#lastUsedAt = now
    this.#stream?.keepAlive()
    if (now - this.#lastUsedAt > idleTimeoutMs) void this.close()
  }

  async close(): Promise<void> {
    this.#stream?.end()
    this.onclose?.()
    for (const id of [...this.#replies.keys()]) this.#sendReply(id)
  }

  #sendReply(id: RequestId, json?: string): void {
    const reply = this.#replies.get(id)
    this.#replies.delete(id)
    reply?.(json)
  }
}
