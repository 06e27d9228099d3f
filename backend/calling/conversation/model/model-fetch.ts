import { Agent, fetch as undiciFetch } from 'undici'
import { minuteMs, secondMs } from '../../../platform/core/durations.ts'

export interface ModelFetch {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/**
 * Creates the `fetch` for language models. Unlike Node's, whose connections close after 4 idle seconds, it keeps them
 * open between the turns of a conversation: a new TLS connection would delay the first word. Addresses aren't
 * restricted, because the operator chose them.
 */
export function createModelFetch({ keepAliveMs = minuteMs } = {}): ModelFetch {
  const dispatcher = new Agent({
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    connect: { timeout: 5 * secondMs },
    // Each request has its own limits, which know what has been said.
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
        // Another server would get the key.
        redirect: 'manual',
        dispatcher,
      })
      return new Response(response.body, { status: response.status, headers: [...response.headers] })
    },
    close: () => dispatcher.destroy(),
  }
}
