import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { registerPages } from '../http/pages.ts'
import { registerScope } from '../http/register-scope.ts'
import type { BrowserAuth } from '../sign-in/browser-auth.ts'
import { createPageRenderer, type Render } from '../views/render.ts'
import { mountConsentPages } from './consent-pages.ts'
import { mountProvider } from './register-oauth.ts'
import { createProvider } from './create-provider.ts'
import { handlePageError, renderProviderError } from './render-error.ts'

/** Adds the OAuth endpoints, and the pages of sign-in and consent that an app's request leads to. */
export async function registerOauth(
  app: FastifyInstance,
  deps: Deps,
  { render: renderTemplate, browserAuth }: { render: Render; browserAuth: BrowserAuth },
): Promise<void> {
  const render = createPageRenderer(renderTemplate)
  const provider = await createProvider(deps, renderProviderError(render))
  await registerScope(app, 'oauth', async (scope) => {
    scope.addHook('onRequest', allowOpener)
    await mountProvider(scope, provider, deps.config)
  })
  await registerPages(app, deps, handlePageError(render), (pages) => {
    pages.addHook('onRequest', allowOpener)
    mountConsentPages(pages, deps, { provider, render, browserAuth })
  })
}

/**
 * Apps such as Zapier open the authorization in a window of its own, and their page that it comes back to tells the
 * one that opened it. A Cross-Origin-Opener-Policy on any page or redirect between would cut the two apart.
 */
const allowOpener = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  void reply.removeHeader('cross-origin-opener-policy')
}
