import type { ServerResponse } from 'node:http'
import { secondMs } from '../core/durations.ts'

/** A client with more unread bytes is disconnected. */
const maxBacklogBytes = 1024 * 1024

/** Number of keep-alives after which a client that has read nothing is disconnected. */
const maxUnreadKeepAlives = 3

/** How long a client can take to read the remaining data after the stream has ended. */
const drainTimeoutMs = 20 * secondMs

/** Sends server-sent events (HTML standard, section 9.2) on one response. */
export class EventStream {
  readonly #res: ServerResponse
  #unread = 0

  constructor(res: ServerResponse) {
    this.#res = res
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
    if (this.#res.writableLength > maxBacklogBytes) {
      this.#res.destroy()
      return
    }
    this.#res.write(`event: ${event}\ndata: ${data}\n\n`)
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
    // A client that doesn't read wouldn't notice the end of the stream.
    if (this.#res.writableLength > 0) this.#res.socket?.setTimeout(drainTimeoutMs)
    this.#res.end()
  }

  #handleHangUp(): void {
    if (this.#res.writableLength > 0) this.#res.destroy()
    else this.#res.end()
  }
}
