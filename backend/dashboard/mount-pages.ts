import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { BrowserAuth } from '../sign-in/browser-auth.ts'
import { pageHeaders } from '../views/page-headers.ts'
import type { Render } from '../views/render.ts'
import { setFlash, takeFlash } from './page/flash.ts'
import { emptyForm, type FormState, invalidForm } from './page/forms.ts'
import { loadPageContext, type PageContext, pathTo } from './page/page-context.ts'
import { isCorrectable, pageNotFound } from './page/page-errors.ts'
import { createPageModel } from './page/page-model.ts'
import type {
  ActionRoute,
  DashboardRoute,
  DownloadRoute,
  FormRoute,
  PageRoute,
  Redirect,
  View,
} from './page/page-route.ts'
import { submitOnce } from './page/submit-once.ts'
import { isFragment, redirectToSignIn } from './sign-in/sign-in-pages.ts'

declare module 'fastify' {
  interface FastifyRequest {
    visit: PageContext | null
  }
  interface FastifyContextConfig {
    /** The most bytes of the file in a form; a form without one is no multipart form. */
    fileLimit?: number
    /** What is posted here can be opened here, too. */
    hasPage?: boolean
  }
}

interface MountOptions {
  render: Render
  browserAuth: BrowserAuth
  routes: readonly DashboardRoute[]
}

/** Mounts every page of a workspace: nobody sees one who is not signed in and a member. */
export function mountPages(
  pages: FastifyInstance,
  deps: Deps,
  { render, browserAuth, routes }: MountOptions,
): void {
  const isSecure = deps.config.publicUrl.startsWith('https:')
  pages.decorateRequest('visit', null)

  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = await loadPageContext(deps, browserAuth, request)
    if (context === undefined) return redirectToSignIn(request, reply, deps.config.publicUrl)
    request.visit = context
  }

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    view: View,
    state = emptyForm,
    status = 200,
  ) => {
    const page = createPageModel(getPageContext(request), view, {
      path: request.url,
      csrf: reply.generateCsrf(),
      flash: isFragment(request) ? null : takeFlash(request, reply, isSecure),
      state,
      now: deps.clock.now(),
    })
    return reply
      .code(status)
      .headers(pageHeaders({ scripts: true }))
      .send(render(view.template, page))
  }

  const redirect = (reply: FastifyReply, { to, message }: Redirect) => {
    if (message !== null) setFlash(reply, { kind: 'done', text: message }, isSecure)
    return reply.redirect(to, 303)
  }

  const run = <Result extends Redirect | View>(
    route: FormRoute | ActionRoute,
    request: FastifyRequest,
    work: (tx: Deps) => Promise<Result>,
  ): Promise<Redirect | Result> =>
    route.isOnce
      ? submitOnce(
          deps,
          getPageContext(request),
          { path: requestPath(request), raw: getFormFields(request) },
          work,
        )
      : work(deps)

  const mountPage = (route: PageRoute) =>
    pages.get(routeUrl(route), { onRequest }, async (request, reply) =>
      send(request, reply, await route.show(getPageContext(request))),
    )

  const mountForm = (route: FormRoute) => {
    const config = { hasPage: true, ...(route.fileLimit !== undefined && { fileLimit: route.fileLimit }) }
    pages.get(routeUrl(route), { onRequest }, async (request, reply) => {
      const context = getPageContext(request)
      // Before the form: what is saved in between is found out when it is sent.
      const state: FormState = { ...emptyForm, version: await route.currentVersion(deps, context) }
      return send(request, reply, await route.show(context, state), state)
    })
    pages.post(routeUrl(route), { onRequest, config }, async (request, reply) => {
      const context = getPageContext(request)
      const raw = getFormFields(request)
      try {
        const result = await run(route, request, (tx) => route.submit(tx, context, raw))
        return 'to' in result ? redirect(reply, result) : send(request, reply, result)
      } catch (error) {
        if (!isCorrectable(error)) throw error
        const state: FormState = invalidForm(raw, error)
        return send(request, reply, await route.show(context, state), state, error.status)
      }
    })
  }

  const mountAction = (route: ActionRoute) =>
    pages.post(routeUrl(route), { onRequest }, async (request, reply) => {
      const context = getPageContext(request)
      const raw = getFormFields(request)
      try {
        return redirect(reply, await run(route, request, (tx) => route.run(tx, context, raw)))
      } catch (error) {
        if (!isCorrectable(error)) throw error
        setFlash(reply, { kind: 'refused', text: error.message }, isSecure)
        return reply.redirect(route.back(context), 303)
      }
    })

  const mountDownload = (route: DownloadRoute) =>
    pages.get(routeUrl(route), { onRequest }, async (request, reply) => {
      const { name, type, body } = await route.send(getPageContext(request))
      return reply
        .headers(pageHeaders())
        .header('Content-Disposition', `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`)
        .type(type)
        .send(body)
    })

  for (const route of routes) {
    if (route.kind === 'show') mountPage(route)
    if (route.kind === 'form') mountForm(route)
    if (route.kind === 'act') mountAction(route)
    if (route.kind === 'file') mountDownload(route)
  }

  pages.get('/w/*', () => {
    throw pageNotFound()
  })
  pages.get('/w/:workspace', { onRequest }, (request, reply) =>
    reply.redirect(pathTo(getPageContext(request), '/overview'), 303),
  )
}

const routeUrl = ({ path }: DashboardRoute) => `/w/:workspace${path}`

function getPageContext({ visit: context }: FastifyRequest): PageContext {
  if (context === null) throw new Error('a page was served to nobody')
  return context
}

const getFormFields = ({ body }: FastifyRequest): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

const requestPath = ({ url: address }: FastifyRequest): string => address.split('?')[0] ?? ''
