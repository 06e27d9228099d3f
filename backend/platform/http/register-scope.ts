import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Deps } from '../../deps.ts'

/**
 * Registers routes in a scope with separate hooks and parsers. `name` appears in Fastify's errors. Without a name, Fastify
 * would search all loaded modules for the function to find one.
 */
export async function registerScope(
  app: FastifyInstance,
  name: string,
  mount: (scope: FastifyInstance) => void | Promise<void>,
  options: { prefix?: string } = {},
): Promise<void> {
  const scopePlugin = plugin(async (scope: FastifyInstance) => mount(scope), { name, encapsulate: true })
  await app.register(scopePlugin, options)
}

type HandleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** Returns the name of the cookie that CSRF tokens belong to. The cookie outlives sign-in sessions. */
export const csrfCookieName = ({ publicUrl }: Pick<Deps['config'], 'publicUrl'>): string =>
  publicUrl.startsWith('https:') ? '__Host-outdial_csrf' : 'outdial_csrf'

/**
 * Registers a scope for pages that people open in a browser, with cookies, forms, and CSRF protection. `readBody` reads
 * bodies that aren't plain forms before their CSRF token is checked.
 */
export async function registerPages(
  app: FastifyInstance,
  deps: Pick<Deps, 'config'>,
  handleError: HandleError,
  mount: (pages: FastifyInstance) => void | Promise<void>,
  readBody?: (request: FastifyRequest) => Promise<void>,
): Promise<void> {
  await registerScope(app, 'pages', async (pages) => {
    const secure = deps.config.publicUrl.startsWith('https:')
    pages.setErrorHandler(handleError)
    await pages.register(cookie)
    // Browsers send forms, so pages accept nothing else.
    pages.removeAllContentTypeParsers()
    await pages.register(formbody)
    await pages.register(csrf, {
      cookieKey: csrfCookieName(deps.config),
      // Lax, because an authorization begins with a navigation from the app's site, and browsers send no strict
      // cookies with it.
      cookieOpts: { path: '/', httpOnly: true, sameSite: 'lax', secure },
    })
    if (readBody)
      pages.addHook('preHandler', async (request) => {
        await readBody(request)
        request.slot?.take()
      })
    pages.addHook('preHandler', (request, reply, done) => {
      if (request.method === 'GET' || request.method === 'HEAD') done()
      else pages.csrfProtection(request, reply, done)
    })
    await mount(pages)
  })
}
