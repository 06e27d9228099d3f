import type { ServerResponse } from 'node:http'
import { secondMs } from '../../platform/core/durations.ts'

/** Maximum unread bytes of a client. A client with more is disconnected. */
const maxBacklogBytes = 1024 * 1024

/** Maximum unread bytes of all clients. Above it, a client that still has unread bytes is disconnected when it gets more. */
const maxTotalBacklogBytes = 64 * 1024 * 1024

/** The unread bytes of all streams of a tool server. */
export interface Backlog {
  bytes: number
}

/** Number of keep-alives after which a client that has read nothing is disconnected. */
const maxUnreadKeepAlives = 3

/** How long a client can take to read the remaining data after the stream has ended. */
const drainTimeoutMs = 20 * secondMs

/** Sends server-sent events (HTML standard, section 9.2) on one response. */
export class EventStream {
  readonly #res: ServerResponse
  readonly #backlog: Backlog
  #ownBacklog = 0
  #unread = 0

  constructor(res: ServerResponse, backlog: Backlog) {
    this.#res = res
    this.#backlog = backlog
    res.once('close', () => this.#countBacklog(-this.#ownBacklog))
  }

  open(headers: Record<string, string>): void {
    // The end of the connection marks the end of the stream, so chunked encoding isn't needed.
    this.#res.removeHeader('Transfer-Encoding')
    this.#res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // Compression would delay events.
      'Cache-Control': 'no-cache, no-transform',
      // Otherwise, nginx would buffer events.
      'X-Accel-Buffering': 'no',
      ...headers,
    })
    // A client ends the stream by closing its side of the connection. Node would treat that as an aborted request.
    this.#res.socket?.prependOnceListener('end', () => this.#handleHangUp())
  }

  /** Sends an event. `data` must not contain line breaks. */
  send(event: string, data: string): void {
    if (this.#res.writableEnded) return
    const text = `event: ${event}\ndata: ${data}\n\n`
    const size = Buffer.byteLength(text)
    const isTooMuch =
      this.#ownBacklog + size > maxBacklogBytes || this.#backlog.bytes + size > maxTotalBacklogBytes
    // A client without unread bytes gets any message, because it didn't cause the backlog.
    if (this.#ownBacklog > 0 && isTooMuch) {
      this.#res.destroy()
      return
    }
    this.#countBacklog(size)
    this.#res.write(text, () => this.#countBacklog(-Math.min(size, this.#ownBacklog)))
  }

  #countBacklog(bytes: number): void {
    this.#ownBacklog += bytes
    this.#backlog.bytes += bytes
  }

  flush(): void {
    this.#res.flushHeaders()
  }

  /** Sends a comment so that proxies keep the connection open. Disconnects a client that never reads. */
  keepAlive(): void {
    if (this.#res.writableEnded) return
    this.#unread = this.#res.writableLength > 0 ? this.#unread + 1 : 0
    if (this.#unread >= maxUnreadKeepAlives) this.#res.destroy()
    else this.#res.write(': keepalive\n\n')
  }

  end(): void {
    if (this.#res.writableEnded) return
    // Disconnects a client that doesn't read, because it wouldn't notice the end of the stream.
    if (this.#res.writableLength > 0) this.#res.socket?.setTimeout(drainTimeoutMs)
    this.#res.end()
  }

  #handleHangUp(): void {
    if (this.#res.writableLength > 0) this.#res.destroy()
    else this.#res.end()
  }
}
