import { Agent, fetch as undiciFetch } from 'undici'
import { secondMs } from '../core/durations.ts'
import { guardedConnector, type GuardOptions } from './guard.ts'

/** The options of `fetch` that libraries use. */
interface FetchInit {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
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
 * @param options.maxBytes maximum size of a body, or of each event in an event stream; reading more than that fails
 */
export function createGuardedFetch(options: GuardOptions & { maxBytes: number }): GuardedFetch {
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
      const limited = response.body && limitBytes(response.body, options.maxBytes, isEventStream)
      return new Response(limited, { status: response.status, headers: [...response.headers] })
    },
    close: () => dispatcher.destroy(),
  }
}

/** The server sent more bytes than the limit permits. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Passes a stream through, and fails with TooLargeError after `maxBytes`. An event stream has no limit as a whole: each
 * event is counted separately, up to its empty line.
 */
function limitBytes(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  isEventStream: boolean,
): ReadableStream<Uint8Array> {
  let bytes = 0
  let isLineEmpty = true
  const count = (length: number) => {
    bytes += length
    if (bytes > maxBytes) throw new TooLargeError()
  }
  const countEventBytes = (chunk: Uint8Array) => {
    for (const byte of chunk) {
      count(1)
      if (byte === newline && isLineEmpty) bytes = 0
      if (byte !== carriageReturn) isLineEmpty = byte === newline
    }
  }
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (isEventStream) countEventBytes(chunk)
      else count(chunk.length)
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(limit)
}
