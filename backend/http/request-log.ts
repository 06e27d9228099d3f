import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../core/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who acts; null where nobody has been authenticated (yet). */
    caller: Caller | null
  }
}

/**
 * Logs one line per request, with the route's pattern in the place of its URL: query strings and paths hold
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

/** The caller's own id where it is sane (it ends up in logs and headers), else a new one. */
export function getRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const header = request.headers['x-request-id']
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID()
}
