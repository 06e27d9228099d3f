import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthorizedClient } from './authorize-session.ts'
import { ToolServerError } from './tool-server-error.ts'
import type { ToolSession } from './tool-session.ts'
import type { ToolTransport } from '../tools/transport/transport.ts'

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

/** Where transports get their sessions. */
export interface ToolSessions {
  authorize(request: TransportRequest): Promise<AuthorizedClient>
  open(client: AuthorizedClient, id: string, transport: ToolTransport): ToolSession
  find(id: string): ToolSession | undefined
  createId(): string
}

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
