import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/client'
import { rejectOnAbort } from '../../platform/core/abort.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { isNotSent } from '../../platform/outbound/guard.ts'
import { createGuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { version } from '../../version.ts'
import { ignoreFloods } from './ignore-floods.ts'
import { HttpStatusError, responseLimits } from './remote-errors.ts'
import { createRemoteFetch, currentRequest } from './remote-fetch.ts'
import type { RemoteSettings } from './tool-settings.ts'

/** The address of a server, with its secrets filled in. */
export interface RemoteAddress {
  url: string
  transport: RemoteSettings['transport']
  headers: Record<string, string>
  allowLoopback: boolean
}

export interface RemoteSession {
  listTools(cursor: string | undefined, signal: AbortSignal): Promise<ListToolsResult>
  callTool(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
  /** Aborts when the session is closed, or when the stream that carries all responses ends. */
  readonly disconnected: AbortSignal
  close(): Promise<void>
}

/**
 * Opens a session. Runs in the thread for remote servers.
 *
 * @throws errors that `toRemoteFailure` describes
 */
export async function connectRemote(address: RemoteAddress, signal: AbortSignal): Promise<RemoteSession> {
  if (address.transport !== 'auto') return openSession(address, address.transport, signal)
  try {
    return await openSession(address, 'streamable', signal)
  } catch (error) {
    // MCP 2025-11-25, "Backwards Compatibility": a server that supports only the old transport responds with 400, 404, or 405.
    if (!isTransportUnsupported(error)) throw error
    return openSession(address, 'sse', signal).catch((sseError: unknown) => {
      throw isTransportUnsupported(sseError) ? error : sseError
    })
  }
}

const isTransportUnsupported = (error: unknown): boolean =>
  error instanceof HttpStatusError && [400, 404, 405].includes(error.status)

/** Imports the SDK's client when it's first needed, because it's large, and many installations have no remote servers. */
async function importClient() {
  const {
    Client,
    SSEClientTransport,
    StreamableHTTPClientTransport: StreamableTransport,
  } = await import('@modelcontextprotocol/client')
  return { Client, SSEClientTransport, StreamableTransport }
}

/** How long a server can take to say which revisions of MCP it speaks. Older servers may not respond at all. */
const probeMs = 2 * secondMs

/** @param mode `auto` asks the server first which revisions it speaks, `legacy` sends `initialize` immediately */
async function openSession(
  remote: RemoteAddress,
  kind: 'streamable' | 'sse',
  signal: AbortSignal,
  mode: 'auto' | 'legacy' = kind === 'sse' ? 'legacy' : 'auto',
): Promise<RemoteSession> {
  const { url: address, headers, allowLoopback } = remote
  const { Client, SSEClientTransport, StreamableTransport } = await importClient()
  signal.throwIfAborted()
  const guarded = createGuardedFetch({ allowLoopback, limits: responseLimits })
  let failure: unknown
  const onFailure = (error: unknown) => {
    failure = error
  }
  let isProbing = mode === 'auto'
  const onProbed = () => {
    isProbing = false
  }
  const fetch = createRemoteFetch(guarded, { allowEventStream: kind === 'sse', onFailure, onProbed })
  const url = new URL(address)
  const options = { fetch, requestInit: { headers } }
  const transport =
    kind === 'sse' ? new SSEClientTransport(url, options) : new StreamableTransport(url, options)
  const client = new Client(
    { name: 'Outdial', version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false },
    },
  )
  const disconnected = new AbortController()
  const close = async () => {
    disconnected.abort()
    await client.close()
    await guarded.close()
  }
  try {
    // Rejects on abort, because the SDK waits for the first event of a stream without a time limit.
    await rejectOnAbort(
      failWithStream((requestOptions) => client.connect(ignoreFloods(transport), requestOptions), signal),
      signal,
    )
  } catch (error) {
    const cause = failure ?? toHttpStatusError(error) ?? error
    await close()
    signal.throwIfAborted()
    // An older server doesn't know the method of the probe, and may respond in any way, or not at all.
    if (isProbing && !isRejected(cause)) return openSession(remote, kind, signal, 'legacy')
    throw cause
  }
  // With Streamable HTTP, each request notices its own failures. With HTTP+SSE, all responses need the same stream, so its
  // failure ends the session.
  const handleError = (error: Error) => {
    if (error instanceof HttpStatusError) return // the server rejected one message
    // Closes later, because the EventSource reports the error before it sets its reconnection timer, which would remain.
    queueMicrotask(() => void close())
  }
  if (kind === 'sse') transport.onerror = handleError

  return {
    listTools: (cursor, callSignal) =>
      failWithStream(
        (requestOptions) => client.request({ method: 'tools/list', params: { cursor } }, requestOptions),
        callSignal,
      ),
    callTool: (name, args, callSignal) =>
      failWithStream(
        (requestOptions) =>
          client.request({ method: 'tools/call', params: { name, arguments: args } }, requestOptions),
        callSignal,
      ),
    disconnected: disconnected.signal,
    close: async () => {
      if (transport instanceof StreamableTransport) await terminateSession(transport)
      await close()
    },
  }
}

/** Returns whether another message would fail in the same way. */
const isRejected = (error: unknown): boolean =>
  isNotSent(error) || (error instanceof HttpStatusError && [401, 403].includes(error.status))

/** The SDK's time limit for a request. It's longer than the limits of all signals, so that it never ends a request. */
const sdkTimeoutMs = 2 * minuteMs

async function failWithStream<Result>(
  request: (options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const stream = new AbortController()
  const fail = (error: unknown) => stream.abort(error)
  const response = currentRequest.run({ fail }, () => request({ signal, timeout: sdkTimeoutMs }))
  return rejectOnAbort(response, stream.signal)
}

/** Finds the HTTP status of an error, in its cause or, for an error of an EventSource, in its code. */
function toHttpStatusError(error: unknown): HttpStatusError | undefined {
  const cause: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'cause') : undefined
  if (cause instanceof HttpStatusError) return cause
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  return typeof code === 'number' && code >= 300 && code < 600 ? new HttpStatusError(code, '') : undefined
}

/** Ends the session on the server. Ignores errors: the server may be unreachable or have no sessions. */
const terminateSession = (transport: StreamableHTTPClientTransport): Promise<void> =>
  rejectOnAbort(transport.terminateSession(), AbortSignal.timeout(2 * secondMs)).catch(() => undefined)
