import { AsyncLocalStorage } from 'node:async_hooks'
import type { FetchLike } from '@modelcontextprotocol/client'
import { secondMs } from '../../platform/core/durations.ts'
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { version } from '../../version.ts'
import { BrokenStreamError, HttpStatusError } from './remote-errors.ts'

/** The current request. `fail` ends it if its response stream ends early, because the SDK's transports would keep waiting. */
export const currentRequest = new AsyncLocalStorage<{ fail(error: unknown): void }>()

/**
 * Creates the `fetch` for the SDK's transports. An HTTP error in response to a message is thrown with its status, so
 * that both transports report it the same way.
 *
 * @param options.onFailure gets the error that `fetch` threw, because an EventSource reports only that there was an error
 * @param options.onProbed is called before each message that follows the probe, which asks for the revisions of MCP that
 *   the server speaks
 */
export function createRemoteFetch(
  guarded: GuardedFetch,
  options: { allowEventStream: boolean; onFailure: (error: unknown) => void; onProbed: () => void },
): FetchLike {
  return async (url, init) => {
    const isMessage = init?.method === 'POST'
    // The stream for messages that the server initiates isn't needed.
    if (!isMessage && init?.method !== 'DELETE' && !options.allowEventStream)
      return new Response(null, { status: 405 })
    const headers = new Headers(init?.headers)
    if (!headers.has('user-agent')) headers.set('user-agent', `Outdial/${version}`)
    const isProbe = headers.get('mcp-method') === 'server/discover'
    if (isMessage && !isProbe) options.onProbed()
    const response = await guarded.fetch(url, { ...init, headers }).catch((error: unknown) => {
      options.onFailure(error)
      throw error
    })
    if (!isMessage) return response
    // After a rejected probe, the SDK continues with `initialize`, which older servers need.
    if (isProbe && rejectsRevision(response.status)) return response
    // Reads the whole text, because a part of an echoed secret wouldn't be redacted. The caller truncates the text.
    if (response.status >= 400) throw new HttpStatusError(response.status, await response.text())
    return watchStream(response)
  }
}

const rejectsRevision = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 403

function watchStream(response: Response): Response {
  const request = currentRequest.getStore()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (request === undefined || !isStream || response.body === null) return response
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  response.body.pipeTo(writable).then(
    // Waits, because data that has arrived is still being read. If it contains the response, that settles the request first.
    () => void setTimeout(() => request.fail(new BrokenStreamError()), secondMs).unref(),
    (error: unknown) => request.fail(error),
  )
  return new Response(readable, { status: response.status, headers: response.headers })
}
