import type { ServerResponse } from 'node:http'
import { secondMs } from '../core/durations.ts'

/** Bytes that may wait for a client to read them. */
const maxBacklogBytes = 1024 * 1024

/** Keep-alives after which a client that has read nothing is considered gone. */
const maxUnreadKeepAlives = 3

/** How long a client may still read what was sent before the end. */
const drainTimeoutMs = 20 * secondMs

/** Server-sent events (HTML standard, section 9.2) on one response, for as long as its client reads them. */
export class EventStream {
  readonly #res: ServerResponse
  #unread = 0

  constructor(res: ServerResponse) {
    this.#res = res
  }

  open(headers: Record<string, string>): void {
    // The stream ends with its connection, so it needs no chunks.
    this.#res.removeHeader('Transfer-Encoding')
    this.#res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // Compression would hold events back, too.
      'Cache-Control': 'no-cache, no-transform',
      // nginx would collect events before it passes them on.
      'X-Accel-Buffering': 'no',
      ...headers,
    })
    // A client that says it's done has ended the stream. To Node, an aborted request would be an error.
    this.#res.socket?.prependOnceListener('end', () => this.#handleHangUp())
  }

  /** `data` has no line breaks. */
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

  /** Sends a comment, so that proxies don't consider the stream dead, and disconnects a client that never reads. */
  keepAlive(): void {
    if (this.#res.writableEnded) return
    this.#unread = this.#res.writableLength > 0 ? this.#unread + 1 : 0
    if (this.#unread >= maxUnreadKeepAlives) this.#res.destroy()
    else this.#res.write(': keepalive\n\n')
  }

  end(): void {
    if (this.#res.writableEnded) return
    // A client that doesn't read doesn't notice the end either.
    if (this.#res.writableLength > 0) this.#res.socket?.setTimeout(drainTimeoutMs)
    this.#res.end()
  }

  #handleHangUp(): void {
    if (this.#res.writableLength > 0) this.#res.destroy()
    else this.#res.end()
  }
}
