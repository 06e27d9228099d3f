import { Agent, fetch as undiciFetch } from 'undici'
import { minuteMs, secondMs } from '../../../platform/core/durations.ts'

export interface ModelFetch {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/** Maximum bytes of a response. The packages load whole errors and analyses into memory. The longest answers have a few KB. */
const maxResponseBytes = 4 * 1024 * 1024

/** Creates a stream that fails if a response is longer than `maxResponseBytes`. */
function limitBytes(): TransformStream<Uint8Array, Uint8Array> {
  let left = maxResponseBytes
  return new TransformStream({
    transform: (chunk, controller) => {
      left -= chunk.length
      if (left >= 0) controller.enqueue(chunk)
      else controller.error(new TypeError('the response is too long'))
    },
  })
}

/**
 * Creates the `fetch` for language models. Unlike Node's `fetch`, which closes connections after 4 idle seconds, it keeps
 * connections open between the turns of a conversation: a new TLS connection would delay the first word. Addresses aren't
 * restricted, because the operator chose them.
 */
export function createModelFetch({ keepAliveMs = minuteMs } = {}): ModelFetch {
  const dispatcher = new Agent({
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    connect: { timeout: 5 * secondMs },
    // Both timeouts are off, because each request has its own limits (see request-limit.ts).
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    fetch: async (url, { method, headers, body, signal } = {}) => {
      if (typeof url !== 'string' || typeof body !== 'string')
        throw new TypeError('the URL and body must be strings')
      const response = await undiciFetch(url, {
        method,
        headers: [...new Headers(headers)],
        body,
        signal,
        // Following a redirect would send the key to another server.
        redirect: 'manual',
        dispatcher,
      })
      const text = response.body?.pipeThrough(limitBytes()) ?? null
      return new Response(text, { status: response.status, headers: [...response.headers] })
    },
    close: () => dispatcher.destroy(),
  }
}
