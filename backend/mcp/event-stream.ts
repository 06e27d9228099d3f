import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes that may wait for a client to read them. */
const maxBacklogBytes = 1024 * 1024

/** Signs of life after which a client that has read nothing is taken for gone. */
const maxUnreadKeepAlives = 3

/** Milliseconds in which a client may still read what was sent before the end. */
const drainTimeoutMs = 20_000

/** Server-sent events (HTML standard, section 9.2) on one response, for as long as its client reads them. */
export class EventStream {
  readonly #res: ServerResponse
  /** Known once the response has begun on it. */
  #socket: Socket | undefined
  #unread = 0

  constructor(res: ServerResponse) {
    this.#res = res
  }

  open(headers: Record<string, string>): void {
    // Ends with its connection: chunks would cost more than the events in them.
    this.#res.removeHeader('Transfer-Encoding')
    this.#res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      // Not to be compressed either: that would hold events back.
      'Cache-Control': 'no-cache, no-transform',
      // nginx would collect events before it passes them on.
      'X-Accel-Buffering': 'no',
      ...headers,
    })
    // Who hangs up has ended the stream: to Node a request was aborted, an error that costs as much as an answer.
    this.#res.socket?.prependOnceListener('end', () => this.#handleHangUp())
  }

  /** `data` holds no line breaks. */
  send(event: string, data: string): void {
    if (this.#res.writableEnded) return
    if (this.#res.writableLength > maxBacklogBytes) {
      this.#res.destroy()
      return
    }
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  flush(): void {
    this.#res.flushHeaders()
  }

  /** A comment, so that nobody on the way takes the stream for dead; and who never reads is let go. */
  keepAlive(): void {
    if (this.#res.writableEnded) return
    this.#unread = this.#res.writableLength > 0 ? this.#unread + 1 : 0
    if (this.#unread >= maxUnreadKeepAlives) this.#res.destroy()
    else this.#write(': keepalive\n\n')
  }

  end(): void {
    if (this.#res.writableEnded) return
    // Who does not read does not learn of the end, either.
    if (this.#res.writableLength > 0) this.#res.socket?.setTimeout(drainTimeoutMs)
    this.#res.end()
  }

  #handleHangUp(): void {
    if (this.#res.writableLength > 0) this.#res.destroy()
    else this.#res.end()
  }

  /** What begins the stream goes with its headers. Then the response would only add corks and chunks, of which there are none. */
  #write(text: string): void {
    if (this.#socket === undefined) {
      this.#res.write(text)
      this.#socket = this.#res.socket ?? undefined
    } else if (this.#socket.writable) {
      this.#socket.write(text)
    }
  }
}
