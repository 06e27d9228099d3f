import { Agent, fetch as undiciFetch } from 'undici'
import { secondMs } from '../core/durations.ts'
import { guardedConnector, type GuardOptions } from './guard.ts'

/** What `fetch` takes, as far as libraries that are given one use it. */
interface FetchInit {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

/** `fetch` through the guard. It follows no redirect: the answer with its Location is the answer. */
export interface GuardedFetch {
  fetch(url: string | URL, init?: FetchInit): Promise<Response>
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/**
 * For libraries that bring their own protocol over `fetch`, streams included. Connections are kept for a few
 * seconds and used again for the same origin alone: they lead to the address that was judged.
 *
 * @param options.maxBytes of a body, and of each event of an event stream; more makes reading fail
 */
export function createGuardedFetch(options: GuardOptions & { maxBytes: number }): GuardedFetch {
  const connect = guardedConnector(options)
  // A stream may rest for long: its user decides how long.
  const dispatcher = new Agent({ connect, allowH2: false, headersTimeout: 30 * secondMs, bodyTimeout: 0 })
  return {
    fetch: async (url, { method, headers, body, signal } = {}) => {
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new TypeError('the body is no text')
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

/** A server sends more than anybody can use. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Passes a stream on, and fails with TooLargeError after `maxBytes` of it. Of an event stream each event is
 * counted by itself, up to its empty line: it may go on for ever.
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
