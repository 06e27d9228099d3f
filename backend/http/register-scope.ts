import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Deps } from '../deps.ts'

/**
 * Adds a part with hooks and parsers of its own, by the name that Fastify tells in errors. Without a name it
 * looks for the part's function among all modules that were ever loaded.
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

/**
 * A scope for pages that people open in a browser: cookies, forms, and no form that another site made up.
 * `readBody` reads bodies that are no plain forms, before their token is looked for.
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
    // Browsers send forms: a page reads nothing else.
    pages.removeAllContentTypeParsers()
    await pages.register(formbody)
    await pages.register(csrf, {
      cookieKey: secure ? '__Host-outdial_csrf' : 'outdial_csrf',
      // Lax: an authorization begins with a navigation from the app's site, to which strict cookies are not
      // sent.
      cookieOpts: { path: '/', httpOnly: true, sameSite: 'lax', secure },
    })
    if (readBody) pages.addHook('preHandler', readBody)
    pages.addHook('preHandler', (request, reply, done) => {
      if (request.method === 'GET' || request.method === 'HEAD') done()
      else pages.csrfProtection(request, reply, done)
    })
    await mount(pages)
  })
}
