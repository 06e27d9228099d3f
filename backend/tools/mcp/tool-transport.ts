import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { ToolServerError } from './tool-server-error.ts'

export interface TransportRequest {
  req: IncomingMessage
  res: ServerResponse
  requestId: string
  /** @throws {ApiError} rate_limited, if too many request bodies from the sender are arriving */
  limitBody: LimitBody
}

/** Counts the body of a request toward the limit of the request's credential or, without one, of the sender's address. */
export type LimitBody = (req: IncomingMessage, credential: string | null, maxLength: number) => void

type TransportHandler = (request: TransportRequest) => void | Promise<void>

/** The handlers of a path, by HTTP method. */
export type MethodHandlers = Readonly<Record<string, TransportHandler>>

/** The paths of a transport, each with its trailing slash. */
export type TransportRoutes = ReadonlyMap<string, MethodHandlers>

/** Finds the handlers of a path, with or without its trailing slash. */
export function findMethodHandlers(routes: TransportRoutes, url: string): MethodHandlers | undefined {
  if (!url.startsWith('/api/mcp')) return undefined
  const [path = ''] = url.split('?', 1)
  return routes.get(path.endsWith('/') ? path : `${path}/`)
}

export const parseQuery = ({ url = '' }: IncomingMessage): URLSearchParams => {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}

/** @throws {ToolServerError} method_not_allowed */
export function requireMethod(methods: MethodHandlers, method = ''): TransportHandler {
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (handler !== undefined) return handler
  const names = Object.keys(methods).join(', ')
  throw new ToolServerError('method_not_allowed', {
    values: { method, methods: names },
    headers: { Allow: names },
  })
}

/** Carries the messages of one session. */
export interface ToolTransport {
  /** Set by the session. */
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  send(message: JSONRPCMessage): void
  /** Drops a request that won't get a response because its client canceled it. */
  dropRequest(requestId: RequestId): void
  /** Sends a keep-alive, and ends idle sessions and unread streams. Called periodically. */
  keepAlive(now: number): void
  close(): void
}
