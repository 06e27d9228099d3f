import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { BrowserAuth } from '../accounts/sign-in/browser-auth.ts'
import type { Deps } from '../deps.ts'
import { scopeToWorkspace } from '../platform/db/workspace-scope.ts'
import { pageHeaders } from '../platform/views/page-headers.ts'
import {
  type Action,
  type DashboardRoute,
  type Download,
  type FormPage,
  noInput,
  type Page,
  type Redirect,
  type View,
} from './page/define-page.ts'
import { type Flash, setFlash, takeFlash } from './page/flash.ts'
import { emptyForm, type FormState, getFormFields, invalidForm, toFormPath } from './page/forms.ts'
import {
  confirmMember,
  IdParam,
  loadPageContext,
  type PageContext,
  parseParams,
  pathTo,
} from './page/page-context.ts'
import { isCorrectable, pageNotFound } from './page/page-errors.ts'
import { pageLayout } from './page/page-layout.ts'
import { createPageModel } from './page/page-model.ts'
import { mayKeepForm, openForm, sealAuthor, SealedFormField, sealForm } from './page/sealed-form.ts'
import { sendStream, wantsStream } from './page/stream-form.ts'
import { createCostlyLimit, createPageLimit, createSubmitLimit } from './page/submit-limit.ts'
import { submitOnce } from './page/submit-once.ts'
import { readUpload } from './page/upload.ts'
import type { DashboardRoutes } from './routes.ts'
import { createSignInPage, isFragment, redirectToSignIn, SignInQuery } from './sign-in/sign-in-pages.ts'

declare module 'fastify' {
  interface FastifyRequest {
    pageContext: PageContext | null
    /** True for a form that arrives after its session ended, if it may be kept until the user has signed in again. */
    isFormLost: boolean
  }
}

interface MountOptions {
  browserAuth: BrowserAuth
  routes: DashboardRoutes
}

/** Mounts the pages of a workspace. Every page requires a signed-in member. */
export function mountPages(pages: FastifyInstance, deps: Deps, { browserAuth, routes }: MountOptions): void {
  const isSecure = deps.config.publicUrl.startsWith('https:')
  const limitSubmits = createSubmitLimit(deps)
  const limitCostly = createCostlyLimit()
  const limitPages = createPageLimit(deps)
  pages.decorateRequest('pageContext', null)
  pages.decorateRequest('isFormLost', false)
  const showSignIn = createSignInPage(deps)

  const loadContext =
    (params: DashboardRoute['params'], findPage = (request: FastifyRequest) => request.url) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const context = await loadPageContext(deps, browserAuth, request)
      if (context === undefined) {
        return redirectToSignIn(request, reply, deps.config.publicUrl, findPage(request))
      }
      if (request.method !== 'POST') await limitPages(context.user.userId, reply)
      request.pageContext = parseParams(params, context)
    }

  /** Loads the context before the body arrives, so that only members can send one, and again after the body has arrived. */
  const loadSubmitContext = (route: FormPage | Action) => {
    const load = loadContext(
      route.params,
      route.kind === 'action' ? (request) => findPageOfButton(route, request) : undefined,
    )
    const loadAndCount = async (request: FastifyRequest, reply: FastifyReply) => {
      request.isFormLost =
        route.kind === 'form' &&
        mayKeepForm(request, deps.config) &&
        (await browserAuth.getSession(request)) === undefined
      if (request.isFormLost) return
      await load(request, reply)
      const { pageContext: context } = request
      if (context !== null) await limitSubmits(context.user.userId, reply, route.isCostly)
    }
    return {
      onRequest: loadAndCount,
      preValidation: [readLostForm, checkLostForm, keepForm],
      preHandler: load,
    }
  }

  const readLostForm = async (request: FastifyRequest) => {
    if (request.isFormLost && request.isMultipart()) await readUpload(request, 0)
  }

  // The CSRF token belongs to the browser, not to the session, so it can be checked when the session is over.
  const checkLostForm = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (request.isFormLost) pages.csrfProtection(request, reply, done)
    else done()
  }

  /** Shows the sign-in page instead of handling a form without a session. */
  const keepForm = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.isFormLost) return
    const sealedForm = sealForm(deps, toFormPath(request.url), getFormFields(request))
    if (sealedForm === undefined) return redirectToSignIn(request, reply, deps.config.publicUrl)
    return showSignIn(reply, { ...SignInQuery.parse({ next: request.url }), sealedForm }, { status: 403 })
  }

  const createModel = (
    request: FastifyRequest,
    reply: FastifyReply,
    { title, flash = null, state = emptyForm }: { title: string; flash?: Flash | null; state?: FormState },
  ) =>
    createPageModel(getPageContext(request), title, {
      path: request.url,
      csrf: reply.generateCsrf(),
      flash,
      state,
      now: deps.clock.now(),
      isSimulated: deps.config.telephony === 'simulated',
      sealAuthor: (path) => sealAuthor(deps, { ...toFormOfUser(request), path }),
    })

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    view: View,
    state = emptyForm,
    status = 200,
  ) => {
    const flash = isFragment(request) ? null : takeFlash(request, reply, isSecure)
    const page = createModel(request, reply, { title: view.title, flash, state })
    return reply
      .code(status)
      .headers(pageHeaders({ scripts: true }))
      .send(String(pageLayout(page, view.toMarkup(page))))
  }

  const redirect = (reply: FastifyReply, { to, message, undo }: Redirect) => {
    if (message !== null) setFlash(reply, { kind: 'success', text: message, undo }, isSecure)
    return reply.redirect(to, 303)
  }

  /** Returns the dependencies of a page, which sees only its workspace's rows unless it sets `crossesWorkspaces`. */
  const scope = (route: DashboardRoute, { workspace }: PageContext): Deps =>
    route.crossesWorkspaces ? deps : scopeToWorkspace(deps, workspace.id)

  /** Returns the dependencies of a form. Each of its transactions begins with a check of the user's rights. */
  const scopeToSubmit = (route: FormPage | Action, context: PageContext): Deps => ({
    ...scope(route, context),
    confirmRights: async (db) => {
      await confirmMember({ db, clock: deps.clock }, context)
    },
  })

  /**
   * Returns the dependencies of a read-only page. Lists and exports use the read replica, if any, except right after a change.
   */
  const scopeToRead = (route: Page | Download, context: PageContext): Deps => {
    const scoped = scope(route, context)
    if (deps.readReplica === undefined || !route.toleratesLag || context.hasRecentChange) return scoped
    return { ...scoped, db: deps.readReplica.openWorkspace(context.workspace.id) }
  }

  const limitIfCostly = <Result>(
    { isCostly }: FormPage | Action,
    { workspace }: PageContext,
    work: () => Promise<Result>,
  ): Promise<Result> => (isCostly ? limitCostly(workspace.id, work) : work())

  const run = <Result extends Redirect | View>(
    route: FormPage | Action,
    request: FastifyRequest,
    work: (tx: Deps) => Promise<Result>,
  ): Promise<Redirect | Result> => {
    const context = getPageContext(request)
    const scoped = scopeToSubmit(route, context)
    const form = { path: toFormPath(request.url), raw: getFormFields(request) }
    return limitIfCostly(route, context, () =>
      route.isOnce ? submitOnce(scoped, context, form, work) : work(scoped),
    )
  }

  const mountPage = (path: string, page: Page) =>
    pages.get(path, { onRequest: loadContext(page.params) }, async (request, reply) => {
      const context = getPageContext(request)
      return send(request, reply, await page.show(scopeToRead(page, context), context))
    })

  /** Shows a form that the user had filled in before signing in again. It's never submitted here. */
  const showRestored = async (form: FormPage, request: FastifyRequest, reply: FastifyReply) => {
    const context = getPageContext(request)
    const state = openForm(deps, toFormOfUser(request), SealedFormField.parse(request.body) ?? '')
    if (state === undefined) return reply.redirect(request.url, 303)
    const scoped = scope(form, context)
    const view = await limitIfCostly(form, context, () => form.show(scoped, context, state))
    return send(request, reply, view, state)
  }

  const mountForm = (path: string, form: FormPage) => {
    const onRequest = loadContext(form.params)
    const config = form.fileLimit === undefined ? {} : { fileLimit: form.fileLimit }
    pages.get(path, { onRequest }, async (request, reply) => {
      const context = getPageContext(request)
      // Read the version before the form's data, so that a save in between is detected on submit.
      const version = await form.currentVersion(scope(form, context), context)
      const state: FormState = { ...emptyForm, version }
      const view = await limitIfCostly(form, context, () => form.show(scope(form, context), context, state))
      return send(request, reply, view, state)
    })
    pages.post(path, { ...loadSubmitContext(form), config }, async (request, reply) => {
      const context = getPageContext(request)
      const raw = getFormFields(request)
      if (raw._restore !== undefined) return showRestored(form, request, reply)
      try {
        const { stream } = form
        if (stream !== undefined && wantsStream(request)) {
          const page = createModel(request, reply, { title: '' })
          const scoped = scopeToSubmit(form, context)
          return await sendStream(request, reply, {
            confirm: () => confirmMember(scoped, context),
            work: (signal) => stream(scoped, context, raw, { page, signal }),
          })
        }
        const result = await run(form, request, (tx) => form.submit(tx, context, raw))
        return await ('to' in result ? redirect(reply, result) : send(request, reply, result))
      } catch (error) {
        if (!isCorrectable(error)) throw error
        const state = invalidForm(raw, error)
        const view = await form.show(scope(form, context), context, state)
        return send(request, reply, view, state, error.status)
      }
    })
  }

  const mountAction = (path: string, action: Action) =>
    pages.post(path, loadSubmitContext(action), async (request, reply) => {
      const context = getPageContext(request)
      const raw = getFormFields(request)
      try {
        return await redirect(reply, await run(action, request, (tx) => action.run(tx, context, raw)))
      } catch (error) {
        if (!isCorrectable(error)) throw error
        setFlash(reply, { kind: 'error', text: error.message }, isSecure)
        return reply.redirect(action.back(context), 303)
      }
    })

  /** Ends a download if the user loses the right to it, because reading it can take long. */
  const whileMember = async function* (scoped: Deps, context: PageContext, parts: AsyncIterable<string>) {
    for await (const part of parts) {
      await confirmMember(scoped, context)
      yield part
    }
  }

  const mountDownload = (path: string, download: Download) =>
    pages.get(path, { onRequest: loadContext(download.params) }, async (request, reply) => {
      const context = getPageContext(request)
      const { name, type, body } = await download.send(scopeToRead(download, context), context)
      return reply
        .headers(pageHeaders())
        .header('Content-Disposition', `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`)
        .type(type)
        .send(Readable.from(whileMember(scope(download, context), context, body)))
    })

  for (const [path, route] of Object.entries(routes)) {
    const fullPath = `/w/:workspace${path}`
    if (route.kind === 'page') mountPage(fullPath, route)
    if (route.kind === 'form') mountForm(fullPath, route)
    if (route.kind === 'action') mountAction(fullPath, route)
    if (route.kind === 'download') mountDownload(fullPath, route)
  }

  pages.get('/w/*', () => {
    throw pageNotFound()
  })
  pages.get('/w/:workspace', { onRequest: loadContext(noInput) }, (request, reply) =>
    reply.redirect(pathTo(getPageContext(request), '/overview'), 303),
  )
}

/**
 * Returns the path of the page to go to after signing in, for a button that was clicked without a session. Only the
 * button's path is known here: the page itself checks whether the user is a member of the workspace.
 */
function findPageOfButton(action: Action, { params }: FastifyRequest): string {
  const workspace = z.object({ workspace: IdParam }).safeParse(params)
  const parsed = action.params.safeParse(params)
  if (!workspace.success || !parsed.success) return '/'
  return action.back({ workspace: { id: workspace.data.workspace }, params: parsed.data })
}

function getPageContext({ pageContext: context }: FastifyRequest): PageContext {
  if (context === null) throw new Error('invariant: page request has no context')
  return context
}

const toFormOfUser = (request: FastifyRequest) => ({
  path: toFormPath(request.url),
  userId: getPageContext(request).user.userId,
})
