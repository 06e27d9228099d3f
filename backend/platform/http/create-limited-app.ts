import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Deps } from '../../deps.ts'
import { type BodyLimits, createBodyLimits } from './body-limits.ts'
import { createProxyCheck, getClientAddress } from './client-address.ts'
import { createGracefulClosing } from './close-connections.ts'
import { createLimitedServer } from './create-server.ts'
import { handleError } from './error-handler.ts'
import { createFloodGuard } from './flood-guard.ts'
import { type HttpLimits, megabyte } from './http-limits.ts'
import type { OverloadState } from './overload.ts'
import { getRequestId } from './request-log.ts'
import { createSlowClientLog } from './slow-client-log.ts'
import { limitUnreadResponses } from './unread-responses.ts'

interface LimitedApp {
  app: FastifyInstance
  bodies: BodyLimits
  isProxy: (address: string) => boolean
}

/**
 * Creates an app without routes, whose server limits slow clients and closes without losing a request.
 *
 * @param options.handleFirst handles a request before Fastify, or returns false
 * @param options.onClose runs before the server stops listening
 */
export function createLimitedApp(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  {
    limits,
    overload,
    handleFirst = () => false,
    onClose = async () => {},
  }: {
    limits: HttpLimits
    overload: OverloadState
    handleFirst?: (req: IncomingMessage, res: ServerResponse, bodies: BodyLimits) => boolean
    onClose?: () => Promise<void>
  },
): LimitedApp {
  const isProxy = createProxyCheck(deps.config.trustedProxies)
  const slowClients = createSlowClientLog(deps)
  const bodies = createBodyLimits(limits, {
    ...{ overload, slowClients, isProxy },
    getAddress: (req) => getClientAddress(req, isProxy),
  })
  const floods = createFloodGuard(limits, { slowClients, isProxy })
  const log: FastifyBaseLogger = deps.log
  const app = Fastify({
    serverFactory: (handler, { keepAliveTimeout }) => {
      const handle: RequestListener = (req, res) => {
        if (!handleFirst(req, res, bodies)) handler(req, res)
      }
      const server = createLimitedServer(handle, { limits, bodies, floods })
      server.keepAliveTimeout = Number(keepAliveTimeout)
      return server
    },
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: getRequestId,
    bodyLimit: megabyte,
    trustProxy: isProxy,
    routerOptions: { ignoreTrailingSlash: true },
    return503OnClosing: false,
    frameworkErrors: handleError,
    // createLimitedServer handles these errors.
    clientErrorHandler: () => {},
  })
  const closing = createGracefulClosing(app.server)
  const stopLimitingResponses = limitUnreadResponses(app.server, limits)
  app.addHook('preClose', async () => {
    closing.begin()
    await onClose()
    await closing.close()
    stopLimitingResponses()
    bodies.close()
  })
  app.setErrorHandler(handleError)
  app.decorateRequest('errorCode', null)
  app.decorateRequest('errorDetails', null)
  return { app, bodies, isProxy }
}
