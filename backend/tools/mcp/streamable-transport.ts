import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { minuteMs } from '../../platform/core/durations.ts'
import { type Backlog, EventStream } from './event-stream.ts'
import { toJson } from './mcp-messages.ts'
import type { ToolTransport } from './tool-transport.ts'

/** A session without an open stream ends after this time without requests. */
const idleTimeoutMs = 10 * minuteMs

type Resolve = (response?: JSONRPCMessage) => void

/**
 * Streamable HTTP (MCP 2025-11-25): each POST gets the response to its request. The server sends notifications on a
 * separate stream if the client opens one.
 */
export class StreamableTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  readonly #pending = new Map<RequestId, Resolve>()
  readonly #backlog: Backlog
  #stream: EventStream | undefined
  #lastUsedAt: number

  constructor(now: number, backlog: Backlog) {
    this.#backlog = backlog
    this.#lastUsedAt = now
  }

  /** Returns whether a request with this ID is in progress. */
  isPending(id: RequestId): boolean {
    return this.#pending.has(id)
  }

  /** Resolves with the response, or with undefined if there won't be one. */
  async request(message: JSONRPCRequest, now: number): Promise<JSONRPCMessage | undefined> {
    this.#lastUsedAt = now
    return new Promise((resolve) => {
      this.#pending.set(message.id, resolve)
      this.onmessage?.(message)
    })
  }

  notify(message: JSONRPCMessage, now: number): void {
    this.#lastUsedAt = now
    this.onmessage?.(message)
  }

  /** Opens a stream for notifications. Replaces an earlier one, which a client that reconnects may have left open. */
  listen(res: ServerResponse, headers: Record<string, string>): void {
    this.#stream?.end()
    const stream = new EventStream(res, this.#backlog)
    this.#stream = stream
    stream.open(headers)
    stream.flush()
    res.on('close', () => {
      if (this.#stream === stream) this.#stream = undefined
    })
  }

  send(message: JSONRPCMessage): void {
    if ('method' in message) this.#stream?.send('message', toJson(message))
    else if (message.id !== undefined) this.#resolve(message.id, message)
  }

  dropRequest(requestId: RequestId): void {
    this.#resolve(requestId)
  }

  keepAlive(now: number): void {
    if (this.#stream !== undefined || this.#pending.size > 0) this.#lastUsedAt = now
    this.#stream?.keepAlive()
    if (now - this.#lastUsedAt > idleTimeoutMs) this.close()
  }

  close(): void {
    this.#stream?.end()
    this.onclose?.()
    for (const id of [...this.#pending.keys()]) this.#resolve(id)
  }

  #resolve(id: RequestId, response?: JSONRPCMessage): void {
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    resolve?.(response)
  }
}
