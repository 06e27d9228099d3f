import { Agent, fetch as undiciFetch } from 'undici'
import { createValueCounter } from '../core/count-values.ts'
import { secondMs } from '../core/durations.ts'
import { guardedConnector, type GuardOptions } from './guard.ts'

/** The subset of `fetch`'s options that the libraries use. */
interface FetchInit {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

export interface ResponseLimits {
  /** Maximum bytes after decompression. */
  bytes: number
  /**
   * Maximum number of values in JSON, which libraries parse and validate on the main thread. Many values would block it for
   * long.
   */
  values: number
  /** Maximum number of events of an event stream that have data. Comments, which keep a connection open, don't count. */
  events: number
}

/** A `fetch` that connects only to permitted addresses. Returns redirects instead of following them. */
export interface GuardedFetch {
  fetch(url: string | URL, init?: FetchInit): Promise<Response>
  /** Aborts all requests in progress. */
  close(): Promise<void>
}

/**
 * Creates a `fetch` for libraries that implement a protocol, including streams. Connections stay open for a few seconds
 * and are reused only for the same origin, because the address was checked for that origin's host.
 *
 * @param options.limits for the body of a response, including all events of a stream; reading more than that fails. A
 * stream that a GET opens carries the responses to later messages. So it has these limits for each event, and each request
 * that a POST sends adds them to the stream's total. Requests that the server sends, such as pings, don't add anything.
 */
export function createGuardedFetch(options: GuardOptions & { limits: ResponseLimits }): GuardedFetch {
  const connect = guardedConnector(options)
  // No body timeout: a stream can be idle for a long time, and the library has a timeout for that.
  const dispatcher = new Agent({
    ...{ connect, allowH2: false, connections: maxConnections },
    ...{ headersTimeout: 30 * secondMs, bodyTimeout: 0 },
  })
  const ofStreams: Allowance = { ...options.limits }
  return {
    fetch: async (url, { method, headers, body, signal } = {}) => {
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new TypeError('the body must be a string')
      if (method === 'POST' && body && isRequest(body)) extend(ofStreams, options.limits)
      const response = await undiciFetch(url, {
        method,
        headers: [...new Headers(headers)],
        body: body ?? null,
        signal,
        redirect: 'manual',
        dispatcher,
      })
      const isEventStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
      const total = isEventStream && method !== 'POST' ? ofStreams : { ...options.limits }
      const limited =
        response.body && limitBody(response.body, { limits: options.limits, total, isEventStream })
      return new Response(limited, { status: response.status, headers: [...response.headers] })
    },
    close: () => dispatcher.destroy(),
  }
}

/** Checks whether a JSON-RPC message is a request or a notification, and not a response to a request of the server. */
function isRequest(message: string): boolean {
  try {
    const parsed: unknown = JSON.parse(message)
    return typeof parsed === 'object' && parsed !== null && 'method' in parsed
  } catch {
    return false
  }
}

/**
 * Maximum number of connections to a server. Each call that waits for the server needs one, and fewer calls wait at the
 * same time.
 */
const maxConnections = 100

/** Thrown if the server sent more bytes, values, or events than the limits permit. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const newline = 0x0a
const carriageReturn = 0x0d
const colon = 0x3a
const dataField = Buffer.from('data')

/** The bytes, values, and events that may still arrive. */
type Allowance = ResponseLimits

/** Subtracts one byte, value, or event. */
function take(allowance: Allowance, part: keyof ResponseLimits): void {
  allowance[part] -= 1
  if (allowance[part] < 0) throw new TooLargeError()
}

/** Adds the limits for the response to one message, up to a maximum: otherwise, unused limits would add up without end. */
function extend(allowance: Allowance, limits: ResponseLimits): void {
  for (const part of ['bytes', 'values', 'events'] as const)
    allowance[part] = Math.min(allowance[part] + limits[part], 10 * limits[part])
}

/** Passes a stream through, and fails with TooLargeError at its limits: for each event, and in total. */
function limitBody(
  stream: ReadableStream<Uint8Array>,
  { limits, total, isEventStream }: { limits: ResponseLimits; total: Allowance; isEventStream: boolean },
): ReadableStream<Uint8Array> {
  const counter = createValueCounter()
  let event: Allowance = { ...limits }
  let values = 0
  const countByte = () => {
    take(event, 'bytes')
    take(total, 'bytes')
  }
  const countValue = (byte: number) => {
    if (counter.add(byte) === values) return
    values += 1
    take(event, 'values')
    take(total, 'values')
  }
  const endEvent = (hasData: boolean) => {
    if (hasData) take(total, 'events')
    event = { ...limits }
    values = 0
    counter.reset()
  }
  const lines = createLineReader(endEvent)
  const count = (byte: number) => {
    countByte()
    if (!isEventStream || lines.add(byte) !== 'comment') countValue(byte)
  }
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      for (const byte of chunk) count(byte)
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(limit)
}

/** Creates a reader that finds comments and the ends of events, which are empty lines. A line ends with LF, CR, or CR LF. */
function createLineReader(onEventEnd: (hasData: boolean) => void) {
  let column = 0
  let matched = 0
  let isComment = false
  let isAfterReturn = false
  let hasData = false
  const endLine = () => {
    if (matched === dataField.length) hasData = true
    if (column === 0) {
      onEventEnd(hasData)
      hasData = false
    }
    column = 0
    matched = 0
    isComment = false
  }
  return {
    /** Reads the next byte, and returns what it belongs to. */
    add: (byte: number): 'comment' | 'field' => {
      const isSecondPart = byte === newline && isAfterReturn
      isAfterReturn = byte === carriageReturn
      if (isSecondPart) return 'field'
      if (byte === newline || byte === carriageReturn) {
        endLine()
        return 'field'
      }
      if (column === 0) isComment = byte === colon
      if (column === matched && byte === dataField[matched]) matched += 1
      column += 1
      return isComment ? 'comment' : 'field'
    },
  }
}
