import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { assetsFolder, createPages } from '../views/render.ts'
import { mountConnect } from './connect/routes.ts'
import { mountProvider } from './mount-provider.ts'
import { createProvider } from './provider.ts'
import { handlePageError, renderProviderError } from './render-error.ts'
import { createDoor } from './sign-in.ts'
import { mountSignIn } from './sign-in-pages.ts'

/** Adds the OAuth endpoints, the pages of sign-in and consent, and the pages' assets. */
export async function registerOauth(app: FastifyInstance, deps: Deps): Promise<void> {
  const render = createPages()
  const provider = await createProvider(deps, renderProviderError(render))
  await app.register(async (scope) => {
    scope.addHook('onRequest', keepOpener)
    await mountProvider(scope, provider, deps.config)
  })
  await app.register(files, {
    root: assetsFolder,
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    maxAge: '365d',
    immutable: true,
  })
  await app.register(async (pages) => {
    const secure = deps.config.publicUrl.startsWith('https:')
    pages.setErrorHandler(handlePageError(render))
    pages.addHook('onRequest', keepOpener)
    await pages.register(cookie)
    await pages.register(formbody)
    await pages.register(csrf, {
      cookieKey: secure ? '__Host-outdial_csrf' : 'outdial_csrf',
      // Lax: an authorization begins with a navigation from the app's site, to which strict cookies are not sent.
      cookieOpts: { path: '/', httpOnly: true, sameSite: 'lax', secure },
    })
    pages.addHook('preHandler', (request, reply, done) => {
      if (request.method === 'GET' || request.method === 'HEAD') return done()
      pages.csrfProtection(request, reply, done)
    })
    const door = createDoor(deps)
    mountConnect(pages, deps, { provider, render, door })
    mountSignIn(pages, { render, door })
  })
}

/**
 * Apps such as Zapier open the authorization in a window of its own, and their page that it comes back to tells the
 * one that opened it. A Cross-Origin-Opener-Policy on any page or redirect between would cut the two apart.
 */
const keepOpener = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  void reply.removeHeader('cross-origin-opener-policy')
}
