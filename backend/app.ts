import type { FastifyInstance } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'
import { allowOtherOrigins } from './api/cross-origin.ts'
import { registerApi } from './api/register-api.ts'
import type { Config } from './config.ts'
import { registerDashboard, sendNotFoundPage } from './dashboard/register-dashboard.ts'
import { getSessionFailure } from './db/connect.ts'
import type { Deps } from './deps.ts'
import { lateResults } from './dialer/late-results.ts'
import { removeForwardedPorts } from './http/client-address.ts'
import { createLimitedApp } from './http/create-limited-app.ts'
import { mountHealth, newProcessState, type ProcessState } from './http/health.ts'
import { requireKnownHost } from './http/host-check.ts'
import { defaultHttpLimits, type HttpLimits } from './http/http-limits.ts'
import { limitRequests, unlimitedRoutes } from './http/limit-requests.ts'
import { createOverloadState } from './http/overload.ts'
import { createProxyWarning, logRequest } from './http/request-log.ts'
import { mountSecurityTxt } from './http/security-txt.ts'
import { handleUnmatchedRequest, isPageRequest, trackAllowedMethods } from './http/unmatched-requests.ts'
import { createToolServer, type ToolServer } from './mcp/tool-server.ts'
import { measureRequests, mountMetrics } from './metrics/mount-metrics.ts'
import { registerOauth } from './oauth/register-oauth.ts'
import { createBrowserAuth } from './sign-in/browser-auth.ts'
import { mountProviderRoutes } from './telephony/all-providers.ts'
import { mountAssets } from './views/mount-assets.ts'

/** Creates the HTTP server without listening. `tools` handles its requests before Fastify, on the same port. */
export async function createApp(
  deps: Deps,
  tools: ToolServer = createToolServer(deps),
  state: Readonly<ProcessState> = newProcessState(),
  limits: HttpLimits = defaultHttpLimits,
): Promise<FastifyInstance> {
  const overload = createOverloadState(deps.clock)
  const { app, bodies, isProxy } = createLimitedApp(deps, {
    ...{ limits, overload },
    handleFirst: (req, res, { limitMessage }) =>
      !getSessionFailure(deps.db) && tools.handle(req, res, limitMessage),
    onClose: () => tools.close(),
  })
  const getAllowedMethods = trackAllowedMethods(app)
  app.decorateRequest('caller', null)
  const warnAboutProxy = createProxyWarning()
  // Hooks that run for every request call `done`, because each promise would cost some microseconds.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    removeForwardedPorts(request.raw.headers)
    warnAboutProxy(request)
    done()
  })
  allowOtherOrigins(app)
  requireKnownHost(app, deps.config, isProxy)
  // Before any hook or handler that uses the database.
  app.addHook('onRequest', (request, _reply, done) => {
    const failure = getSessionFailure(deps.db)
    if (failure !== undefined && !unlimitedRoutes.has(request.routeOptions.url)) throw failure
    done()
  })
  limitRequests(app, deps.config.maxRequestsInProgress, overload)
  bodies.limit(app)
  const setSecurityHeaders = helmet(securityHeaders(deps.config))
  app.addHook('onRequest', (request, reply, done) =>
    setSecurityHeaders(request.raw, reply.raw, (error) => done(error as Error | undefined)),
  )
  // A hook, because a handler runs after the body was parsed and would report issues of the body first.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else if (isPageRequest(getAllowedMethods, request)) sendNotFoundPage(request, reply)
    else handleUnmatchedRequest(getAllowedMethods, request, reply)
  })
  // For routes that find nothing, such as a static file that doesn't exist.
  app.setNotFoundHandler((request, reply) => handleUnmatchedRequest(getAllowedMethods, request, reply))
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    done()
  })
  measureRequests(app, deps)

  mountHealth(app, deps, state, overload)
  mountMetrics(app, deps, state, overload)
  mountSecurityTxt(app, deps)
  await mountProviderRoutes(app, deps, lateResults)
  await mountAssets(app)
  const browserAuth = createBrowserAuth(deps)
  await registerOauth(app, deps, { browserAuth })
  await registerDashboard(app, deps, { browserAuth })
  await registerApi(app, deps)
  return app
}

/** Creates the server of a process that only works: the probes and metrics of createApp, and nothing else. */
export function createMonitoringApp(
  deps: Deps,
  state: Readonly<ProcessState>,
  limits: HttpLimits = defaultHttpLimits,
): FastifyInstance {
  const { app } = createLimitedApp(deps, { limits, overload: createOverloadState(deps.clock) })
  app.setNotFoundHandler((request, reply) => handleUnmatchedRequest(() => [], request, reply))
  mountHealth(app, deps, state)
  mountMetrics(app, deps, state)
  return app
}

/** Headers for responses that browsers don't show. Pages set their own Content-Security-Policy. */
const securityHeaders = (config: Pick<Config, 'publicUrl'>): HelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  frameguard: { action: 'deny' },
  hsts: config.publicUrl.startsWith('https:'),
})
