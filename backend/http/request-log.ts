import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * One line for each request. The route's pattern stands for its address: query strings and paths hold
 * tokens, codes and phone numbers.
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
