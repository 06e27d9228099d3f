import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeError } from '../describe-error.ts'
import type { Deps } from '../deps.ts'
import { registerPages } from '../http/pages.ts'
import type { Door } from '../sign-in/browser-auth.ts'
import { pageHeaders } from '../views/page-headers.ts'
import { createPages, type Render } from '../views/render.ts'
import { toPageError } from './page/page-errors.ts'
import { readUpload } from './page/upload.ts'
import { createLines } from './routes.ts'
import { mountLines } from './mount-pages.ts'
import { mountInvitation } from './sign-in/invitation-page.ts'
import { mountSignIn } from './sign-in/sign-in-pages.ts'
import { mountResetPassword } from './sign-in/reset-password-page.ts'
import { mountSignUp } from './sign-in/sign-up.ts'
import { mountNewWorkspace } from './sign-in/sign-up-pages.ts'

/** Adds the pages for the people who run a workspace. */
export async function registerDashboard(
  app: FastifyInstance,
  deps: Deps,
  { render: renderAny, door }: { render: Render; door: Door },
): Promise<void> {
  const render = createPages(renderAny)
  const handleError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const told = toPageError(error)
    if (told.status >= 500) request.log.error({ error: describeError(error) }, 'a page could not be made')
    void reply
      .code(told.status)
      .headers(pageHeaders())
      .send(
        render('error', {
          title: told.title,
          message: told.message,
          advice: told.advice,
          reference: told.status >= 500 ? request.id : null,
          home: '/',
        }),
      )
  }
  await registerPages(
    app,
    deps,
    handleError,
    async (pages) => {
      await pages.register(multipart, { throwFileSizeLimit: false })
      mountSignIn(pages, deps, { render, door })
      const open = { render: renderAny, door, isSecure: deps.config.publicUrl.startsWith('https:') }
      mountSignUp(pages, deps, open)
      mountInvitation(pages, deps, open)
      mountResetPassword(pages, deps, open)
      mountNewWorkspace(pages, deps, open)
      mountLines(pages, deps, { render: renderAny, door, lines: createLines(deps) })
    },
    readForm,
  )
}

/** Only a page with a file reads such a form, and only after its visitor is known. */
async function readForm(request: FastifyRequest): Promise<void> {
  const { fileLimit } = request.routeOptions.config
  if (fileLimit !== undefined && request.isMultipart()) await readUpload(request, fileLimit)
}
