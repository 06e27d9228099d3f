import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type Provider from 'oidc-provider'
import type { Deps } from '../deps.ts'
import { registerPages, registerScope } from '../http/register-scope.ts'
import type { BrowserAuth } from '../sign-in/browser-auth.ts'
import { createPageRenderer, type Render, type RenderPage } from '../views/render.ts'
import { createAuthorizationLimits } from './authorization-limits.ts'
import { mountConsentPages } from './consent-pages.ts'
import { createProvider } from './create-provider.ts'
import { authorizationPath } from './provider-middleware.ts'
import { handlePageError, renderProviderError } from './render-error.ts'

/** The routes of oidc-provider that are served. The others aren't needed. */
const providerRoutes: { method: HTTPMethods[]; url: string }[] = [
  { method: ['GET'], url: authorizationPath },
  { method: ['GET'], url: `${authorizationPath}/:uid` },
  { method: ['POST', 'OPTIONS'], url: '/oauth/token' },
  { method: ['POST', 'OPTIONS'], url: '/oauth/revoke' },
  { method: ['GET', 'OPTIONS'], url: '/.well-known/oauth-authorization-server' },
]

async function mountProvider(
  scope: FastifyInstance,
  deps: Pick<Deps, 'config' | 'clock' | 'replicas'>,
  { provider, render }: { provider: Provider; render: RenderPage },
): Promise<void> {
  const handleRequest = provider.callback()
  const { host, protocol } = new URL(deps.config.publicUrl)
  const limits = createAuthorizationLimits(deps)
  // oidc-provider reads the bodies itself.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))

  for (const { method, url } of providerRoutes) {
    scope.route({
      method,
      url,
      exposeHeadRoute: false,
      ...(url === authorizationPath && {
        errorHandler: handlePageError(render),
        preHandler: async (request: FastifyRequest) => limits.check(request),
      }),
      handler: async (request, reply) => {
        reply.hijack()
        const { raw } = request
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value)
        }
        // The issuer is PUBLIC_URL, whatever a proxy or client sends in these headers.
        raw.headers.host = host
        raw.headers['x-forwarded-proto'] = protocol.slice(0, -1)
        delete raw.headers['x-forwarded-host']
        // Only programs call the other routes, so their errors are JSON, whatever the Accept header says.
        if (!url.startsWith(authorizationPath)) raw.headers.accept = 'application/json'
        raw.url = raw.url?.replace(/(?<!\/)\/+(?=$|\?)/, '')
        await handleRequest(raw, reply.raw)
      },
    })
  }
}

/** Adds the OAuth endpoints and the sign-in and consent pages. */
export async function registerOauth(
  app: FastifyInstance,
  deps: Deps,
  { render: renderTemplate, browserAuth }: { render: Render; browserAuth: BrowserAuth },
): Promise<void> {
  const render = createPageRenderer(renderTemplate)
  const provider = await createProvider(deps, renderProviderError(render))
  await registerScope(app, 'oauth', async (scope) => {
    scope.addHook('onRequest', allowOpener)
    await mountProvider(scope, deps, { provider, render })
  })
  await registerPages(app, deps, handlePageError(render), (pages) => {
    pages.addHook('onRequest', allowOpener)
    mountConsentPages(pages, deps, { provider, render, browserAuth })
  })
}

/**
 * Removes the Cross-Origin-Opener-Policy header. Apps such as Zapier open the authorization in a popup, and the page
 * that it redirects to in the end notifies the window that opened it. If any page or redirect in between had this
 * header, the popup would lose access to that window.
 */
const allowOpener = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  void reply.removeHeader('cross-origin-opener-policy')
}
