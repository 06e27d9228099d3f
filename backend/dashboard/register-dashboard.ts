import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserAuth } from '../accounts/sign-in/browser-auth.ts'
import type { Deps } from '../deps.ts'
import { ApiError, describeError } from '../platform/core/errors.ts'
import { findCause } from '../platform/http/error-handler.ts'
import { registerPages } from '../platform/http/register-scope.ts'
import type { PageError } from '../platform/views/page-error.ts'
import { pageHeaders } from '../platform/views/page-headers.ts'
import { errorPage } from '../platform/views/pages/error.ts'
import { mountPages } from './mount-pages.ts'
import { pageNotFound, toPageError } from './page/page-errors.ts'
import { markChange } from './page/recent-change.ts'
import { readUpload } from './page/upload.ts'
import { createDashboardRoutes, publicForms } from './routes.ts'
import { mountSignInPages } from './sign-in/sign-in-pages.ts'

/** Registers the dashboard: sign-in, sign-up, and the pages of a workspace. */
export async function registerDashboard(
  app: FastifyInstance,
  deps: Deps,
  { browserAuth }: { browserAuth: BrowserAuth },
): Promise<void> {
  const isSecure = deps.config.publicUrl.startsWith('https:')
  const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const pageError = toPageError(findCause(error, request))
    if (pageError.status >= 500)
      request.log.error({ error: describeError(error) }, 'failed to handle a page request')
    if (error instanceof ApiError) void reply.headers(error.headers)
    sendErrorPage(request, reply, pageError)
  }
  await registerPages(
    app,
    deps,
    handleError,
    async (pages) => {
      await pages.register(multipart, { throwFileSizeLimit: false })
      pages.addHook('onRequest', async (request, reply) => {
        if (request.method === 'POST') void markChange(reply, isSecure)
      })
      mountSignInPages(pages, deps, { browserAuth })
      for (const [path, mount] of Object.entries(publicForms)) {
        mount(pages, deps, { path, browserAuth, isSecure })
      }
      mountPages(pages, deps, { browserAuth, routes: createDashboardRoutes(deps) })
    },
    readMultipartForm,
  )
}

/** Sends the page for a path that doesn't exist. */
export const sendNotFoundPage = (request: FastifyRequest, reply: FastifyReply): void =>
  sendErrorPage(request, reply, pageNotFound())

function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, message, advice }: PageError,
): void {
  const reference = status >= 500 ? request.id : null
  const page = errorPage({ title, message, advice, reference, home: '/' })
  void reply.code(status).headers(pageHeaders()).send(String(page))
}

/** Reads a multipart form if its route sets `fileLimit`. Runs after the user is authenticated. */
async function readMultipartForm(request: FastifyRequest): Promise<void> {
  const { fileLimit } = request.routeOptions.config
  if (fileLimit !== undefined && request.isMultipart()) await readUpload(request, fileLimit)
}
