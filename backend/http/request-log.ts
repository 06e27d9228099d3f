import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../core/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null if the request isn't authenticated, or not yet. */
    caller: Caller | null
  }
}

/**
 * Logs one line per request, with the route's pattern instead of the URL, because query strings and paths contain
 * tokens, codes, and phone numbers.
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
      workspace_id: request.caller?.workspaceId,
    },
    'request',
  )
}

/** Returns the caller's own request ID if it's safe for logs and headers, otherwise a new one. */
export function getRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const header = request.headers['x-request-id']
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID()
}
