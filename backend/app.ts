import helmet from '@fastify/helmet'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Deps } from './deps.ts'
import { logRequest } from './http/access-log.ts'
import { answerClientError } from './http/client-error.ts'
import { handleError } from './http/error-handler.ts'
import { mountHealth } from './http/health.ts'
import { requestIdOf } from './http/request-id.ts'
import { securityHeaders } from './http/security-headers.ts'
import { answerUnrouted, watchRoutes } from './http/unrouted.ts'
import { registerOauth } from './oauth/register.ts'
import { mountApi } from './openapi.ts'

/** Builds the service's HTTP side; it never listens. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const log: FastifyBaseLogger = deps.log
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    bodyLimit: 1024 * 1024,
    trustProxy: deps.config.trustedProxies,
    routerOptions: { ignoreTrailingSlash: true },
    return503OnClosing: false,
    frameworkErrors: handleError,
    clientErrorHandler: answerClientError,
  })
  const allowed = watchRoutes(app)

  app.setErrorHandler(handleError)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request, reply) => void reply.header('X-Request-Id', request.id))
  await app.register(helmet, securityHeaders(deps.config))
  // In a hook, since a handler would come after the body was read, and complain of that first.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return answerUnrouted(allowed, request, reply)
  })
  // Where a route finds nothing by itself: a file that is not there.
  app.setNotFoundHandler((request, reply) => answerUnrouted(allowed, request, reply))
  app.addHook('onResponse', async (request, reply) => logRequest(request, reply))

  mountHealth(app, deps)
  await registerOauth(app, deps)
  await mountApi(app, deps)
  return app
}
