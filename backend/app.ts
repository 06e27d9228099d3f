import type { FastifyInstance } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'
import { registerOauth } from './accounts/oauth/register-oauth.ts'
import { createBrowserAuth } from './accounts/sign-in/browser-auth.ts'
import { allowOtherOrigins } from './api/cross-origin.ts'
import { registerApi } from './api/register-api.ts'
import { lateResults } from './calling/dialer/late-results.ts'
import { mountProviderRoutes } from './calling/telephony/all-providers.ts'
import type { Config } from './config.ts'
import { registerDashboard, sendNotFoundPage } from './dashboard/register-dashboard.ts'
import type { Deps } from './deps.ts'
import { getSessionFailure } from './platform/db/connect.ts'
import { removeForwardedPorts } from './platform/http/client-address.ts'
import { createLimitedApp } from './platform/http/create-limited-app.ts'
import { mountHealth, newProcessState, type ProcessState } from './platform/http/health.ts'
import { requireKnownHost } from './platform/http/host-check.ts'
import { defaultHttpLimits, type HttpLimits } from './platform/http/http-limits.ts'
import { limitRequests, unlimitedRoutes } from './platform/http/limit-requests.ts'
import { createOverloadState } from './platform/http/overload.ts'
import { createProxyWarning, logRequest } from './platform/http/request-log.ts'
import { mountSecurityTxt } from './platform/http/security-txt.ts'
import {
  handleUnmatchedRequest,
  isPageRequest,
  trackAllowedMethods,
} from './platform/http/unmatched-requests.ts'
import { mountAssets } from './platform/views/mount-assets.ts'
import { measureRequests, mountMetrics } from './service/metrics/mount-metrics.ts'
import { createToolServer, type ToolServer } from './tools/mcp/tool-server.ts'

/** Creates the HTTP server, which doesn't listen yet. `tools` gets each request before Fastify, on the same port. */
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
  // Hooks that run for every request call `done` instead of returning a promise, which would cost some microseconds each time.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    removeForwardedPorts(request.raw.headers)
    warnAboutProxy(request)
    done()
  })
  allowOtherOrigins(app)
  requireKnownHost(app, deps.config, isProxy)
  // This hook runs before any hook or handler that uses the database.
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
  // This is a hook, because a handler runs only after the body has been parsed, so issues with the body would be reported
  // first.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else if (isPageRequest(getAllowedMethods, request)) sendNotFoundPage(request, reply)
    else handleUnmatchedRequest(getAllowedMethods, request, reply)
  })
  // Handles requests whose route finds nothing, such as a static file that doesn't exist.
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

/** Creates the server of a process with ROLE=worker, which has only the health checks and metrics of `createApp`. */
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
