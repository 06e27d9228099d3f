import type { FastifyInstance } from 'fastify'
import { hourMs, secondMs } from '../platform/core/durations.ts'
import { headerComponents } from './openapi/headers-and-parameters.ts'
import { apiPrefix, routes } from './routes.ts'

const responseHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': Object.keys(headerComponents).join(', '),
}

/** Lets browsers use the response to a preflight request for two hours, which is the most that Chromium allows. */
const preflightHeaders = {
  'Access-Control-Allow-Methods': [...new Set(routes.map(({ method }) => method))].join(', '),
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, X-Outdial-Client, X-Request-Id',
  'Access-Control-Max-Age': String((2 * hourMs) / secondMs),
}

/**
 * Lets browser apps on any origin call the API and load its OpenAPI document. That's safe, because the API ignores cookies: it
 * authenticates requests only by their bearer token. The hook is on the whole server, so that apps can also read errors that
 * don't come from a route, such as 404 for an unknown path.
 */
export function allowOtherOrigins(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(`${apiPrefix}/`)) {
      reply.headers(responseHeaders)
      if (request.method === 'OPTIONS') reply.headers(preflightHeaders)
    }
    done()
  })
}
