import { Agent, fetch as undiciFetch } from 'undici'
import { createValueCounter } from '../core/count-values.ts'
import { secondMs } from '../core/durations.ts'
import { guardedConnector, type GuardOptions } from './guard.ts'

/** The options of `fetch` that libraries use. */
interface FetchInit {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

export interface BodyLimits {
  bytes: number
  /** Values of JSON. Libraries parse and validate it on the main thread, which takes long for many values. */
  values: number
}

/** A `fetch` that connects only to permitted addresses. Returns redirects instead of following them. */
export interface GuardedFetch {
  fetch(url: string | URL, init?: FetchInit): Promise<Response>
  /** Aborts all requests in progress. */
  close(): Promise<void>
}

/**
 * Creates a `fetch` for libraries that implement a protocol, including streams. Connections stay open for a few seconds
 * and are reused only for the same origin, because they lead to the address that was checked.
 *
 * @param options.limits for a body, or for each event in an event stream; reading more than that fails
 */
export function createGuardedFetch(options: GuardOptions & { limits: BodyLimits }): GuardedFetch {
  const connect = guardedConnector(options)
  // No body timeout: a stream can be idle for a long time, and the library limits how long.
  const dispatcher = new Agent({ connect, allowH2: false, headersTimeout: 30 * secondMs, bodyTimeout: 0 })
  return {
    fetch: async (url, { method, headers, body, signal } = {}) => {
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new TypeError('the body must be a string')
      const response = await undiciFetch(url, {
        method,
        headers: [...new Headers(headers)],
        body: body ?? null,
        signal,
        redirect: 'manual',
        dispatcher,
      })
      const isEventStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
      const limited = response.body && limitBody(response.body, options.limits, isEventStream)
      return new Response(limited, { status: response.status, headers: [...response.headers] })
    },
    close: () => dispatcher.destroy(),
  }
}

/** The server sent more bytes or more values than the limits permit. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Passes a stream through, and fails with TooLargeError at its limits. An event stream has no limit as a whole: each
 * event is counted separately, up to its empty line.
 */
function limitBody(
  stream: ReadableStream<Uint8Array>,
  limits: BodyLimits,
  isEventStream: boolean,
): ReadableStream<Uint8Array> {
  const values = createValueCounter()
  let bytes = 0
  let isLineEmpty = true
  const count = (byte: number) => {
    bytes += 1
    if (bytes > limits.bytes || values.add(byte) > limits.values) throw new TooLargeError()
  }
  const countInEvent = (byte: number) => {
    count(byte)
    if (byte === newline && isLineEmpty) {
      bytes = 0
      values.reset()
    }
    if (byte !== carriageReturn) isLineEmpty = byte === newline
  }
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      chunk.forEach(isEventStream ? countInEvent : count)
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(limit)
}
