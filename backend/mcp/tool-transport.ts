import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { ToolServerError } from './tool-server-error.ts'

/** A request that is the tool server's, and what its answer needs. */
export interface TransportRequest {
  req: IncomingMessage
  res: ServerResponse
  requestId: string
  /** Ends the request with what went wrong. */
  fail: (error: unknown) => void
}

/** What is done with a request, by its method. */
export type MethodHandlers = Record<string, (request: TransportRequest) => void>

/** A transport's addresses, each with its trailing slash. */
export type TransportRoutes = ReadonlyMap<string, MethodHandlers>

/** Both spellings of a path, with its trailing slash and without, are one. */
export function findMethods(routes: TransportRoutes, url: string): MethodHandlers | undefined {
  if (!url.startsWith('/api/mcp')) return undefined
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return routes.get(path.endsWith('/') ? path : `${path}/`)
}

export const parseQuery = ({ url = '' }: IncomingMessage): URLSearchParams => {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}

/** @throws {ToolServerError} method_not_allowed */
export function requireMethod(methods: MethodHandlers, method = ''): MethodHandlers[string] {
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (handler !== undefined) return handler
  const names = Object.keys(methods).join(', ')
  throw new ToolServerError('method_not_allowed', `${method} is not possible here; possible: ${names}.`, {
    headers: { Allow: names },
  })
}

/**
 * What carries a session's messages: the SDK's own interface, so that any of its servers can stand behind it, and a
 * way to send what is serialised already.
 */
export interface ToolTransport extends Transport {
  /** `answered`: the request that this message answers; undefined for what the server says by itself. */
  write(json: string, requestId?: RequestId): void
  /** Says that a request will not be answered, since its client canceled it. */
  dropRequest(requestId: RequestId): void
  /** Called every few seconds: sends a sign of life, and ends what nobody reads. */
  keepAlive(now: number): void
}
