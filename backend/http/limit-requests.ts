import { finished } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/errors.ts'

/** They're needed most while the process is overloaded, and cost little. */
const unlimitedRoutes = new Set<string | undefined>(['/healthz', '/readyz', '/metrics'])

/**
 * Rejects requests while `max` others are in progress: they would wait for a database connection until their clients
 * give up. The tool server's requests aren't counted, because its streams stay open.
 */
export function limitRequests(app: FastifyInstance, max: number): void {
  let inProgress = 0
  app.addHook('onRequest', async (request, reply) => {
    if (unlimitedRoutes.has(request.routeOptions.url)) return
    if (inProgress >= max) throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } })
    inProgress += 1
    finished(reply.raw, () => (inProgress -= 1))
  })
  // The client has disconnected while its request waited, so nobody would learn of the result.
  app.addHook('preHandler', async (request) => {
    if (request.socket.destroyed) throw new ApiError('malformed_json.incomplete')
  })
}
