import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestHookHandler,
} from 'fastify'
import type Provider from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { publicForm } from '../../platform/http/http-limits.ts'
import { registerPages, registerScope } from '../../platform/http/register-scope.ts'
import type { BrowserAuth } from '../sign-in/browser-auth.ts'
import { createAuthorizationLimits, createTokenLimits, limitUrl } from './authorization-limits.ts'
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
  provider: Provider,
): Promise<void> {
  const handleRequest = provider.callback()
  const { host, protocol } = new URL(deps.config.publicUrl)
  const authorizationLimits = createAuthorizationLimits(deps)
  const tokenLimits = createTokenLimits(deps)
  // Reads bodies here, because oidc-provider would begin to handle a request before its body has arrived.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.addHook('onRequest', checkUrl)

  for (const { method, url } of providerRoutes) {
    scope.route({
      method,
      url,
      ...publicForm,
      exposeHeadRoute: false,
      ...(url.startsWith(authorizationPath) && { errorHandler: handlePageError }),
      ...(url === authorizationPath && { preHandler: authorizationLimits.check }),
      ...(method.includes('POST') && {
        onRequest: async (request: FastifyRequest) => {
          if (request.method === 'POST') await tokenLimits.check(request)
        },
      }),
      handler: async (request, reply) => {
        reply.hijack()
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value)
        }
        // The issuer is PUBLIC_URL, whatever a proxy or client sends in these headers.
        const headers: IncomingHttpHeaders = {
          ...request.headers,
          host,
          'x-forwarded-proto': protocol.slice(0, -1),
        }
        delete headers['x-forwarded-host']
        // Only programs call the other routes, so their errors are JSON, whatever the Accept header says.
        if (!url.startsWith(authorizationPath)) headers.accept = 'application/json'
        await handleRequest(copyRequest(request, headers), reply.raw)
      },
    })
  }
}

/**
 * Returns the request as oidc-provider expects it: with a body that can be read, and without slashes at the end of the
 * path.
 */
function copyRequest({ raw, url, body }: FastifyRequest, headers: IncomingHttpHeaders): IncomingMessage {
  const copy = new IncomingMessage(raw.socket)
  const { method, httpVersion, httpVersionMajor, httpVersionMinor } = raw
  Object.assign(copy, { method, httpVersion, httpVersionMajor, httpVersionMinor, headers, complete: true })
  copy.url = trimPath(url)
  if (Buffer.isBuffer(body)) copy.push(body)
  copy.push(null)
  return copy
}

function trimPath(url: string): string {
  const queryStart = url.indexOf('?')
  let end = queryStart === -1 ? url.length : queryStart
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end) + (queryStart === -1 ? '' : url.slice(queryStart))
}

/** Adds the OAuth endpoints and the sign-in and consent pages. */
export async function registerOauth(
  app: FastifyInstance,
  deps: Deps,
  { browserAuth }: { browserAuth: BrowserAuth },
): Promise<void> {
  const provider = await createProvider(deps, renderProviderError)
  await registerScope(app, 'oauth', async (scope) => {
    scope.addHook('onRequest', allowOpener)
    await mountProvider(scope, deps, provider)
  })
  await registerPages(app, deps, handlePageError, (pages) => {
    pages.addHook('onRequest', allowOpener)
    pages.addHook('onRequest', checkUrl)
    mountConsentPages(pages, deps, { provider, browserAuth })
  })
}

const checkUrl: onRequestHookHandler = (request, _reply, done) => {
  limitUrl(request)
  done()
}

/**
 * Removes the Cross-Origin-Opener-Policy header. Apps such as Zapier open the authorization in a popup, and the page
 * that it redirects to in the end notifies the window that opened it. If any page or redirect in between had this
 * header, the popup would lose access to that window.
 */
const allowOpener = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  void reply.removeHeader('cross-origin-opener-policy')
}
