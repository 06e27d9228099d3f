import { boundedText } from '@outdial/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { listWorkspaces } from '../../accounts/identity/members.ts'
import { hasUsers } from '../../accounts/identity/users.ts'
import { type BrowserAuth, SignInForm, wrongPasswordMessage } from '../../accounts/sign-in/browser-auth.ts'
import type { Deps } from '../../deps.ts'
import { publicForm, publicFormBytes } from '../../platform/http/http-limits.ts'
import { newForm } from '../../platform/views/forms.ts'
import { pageHeaders } from '../../platform/views/page-headers.ts'
import { signInPage } from '../../platform/views/pages/sign-in.ts'
import { toFormPath } from '../page/forms.ts'
import { maxSealedLength, openForm, SealedFormField } from '../page/sealed-form.ts'

/** Maximum length of an address. Lists with filters have the longest ones, which are shorter than this. */
const maxAddressLength = 4_000

/** The page to go to after signing in or out: a path of this service, in ASCII because it's sent in a header. */
export const NextQuery = z.object({
  next: boundedText(maxAddressLength)
    .regex(/^\/(?![/\\])[!-[\]-~]*$/)
    .catch('/'),
})

/** The query of the sign-in page. `lost` is set if the session ended before a form was sent. */
export const SignInQuery = NextQuery.extend({ lost: z.enum(['form']).optional().catch(undefined) })

type ShowSignIn = (
  reply: FastifyReply,
  page: z.output<typeof SignInQuery> & { sealedForm?: string | undefined },
  options?: { status?: number; failedEmail?: string },
) => Promise<FastifyReply>

/** Creates the function that sends the sign-in page. `sealedForm` is a form that the user had filled in, sealed. */
export const createSignInPage =
  (deps: Pick<Deps, 'db'>): ShowSignIn =>
  async (reply, { next, lost, sealedForm }, { status = 200, failedEmail } = {}) => {
    const hasFailed = failedEmail !== undefined
    const page = signInPage({
      title: hasFailed ? 'Error: Sign in' : 'Sign in',
      form: newForm(reply.generateCsrf()),
      action: `/sign-in?next=${encodeURIComponent(next)}`,
      app: null,
      canSignUp: !(await hasUsers(deps)),
      isFormLost: lost === 'form' && !hasFailed,
      sealedForm: sealedForm ?? null,
      email: failedEmail ?? '',
      error: hasFailed ? wrongPasswordMessage : null,
    })
    return reply
      .code(hasFailed ? 422 : status)
      .headers(pageHeaders())
      .send(String(page))
  }

/** Mounts sign-in and sign-out for the dashboard, and `/`, which redirects to the user's first workspace. */
export function mountSignInPages(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'secretBox' | 'clock'>,
  { browserAuth }: { browserAuth: BrowserAuth },
): void {
  const showSignIn = createSignInPage(deps)

  pages.get('/', async (request, reply) => {
    const session = await browserAuth.getSession(request)
    if (session === undefined) return reply.redirect('/sign-in', 303)
    const [first] = await listWorkspaces(deps, session.user.userId)
    return reply.redirect(first === undefined ? '/workspaces/new' : `/w/${first.id}/overview`, 303)
  })

  pages.get('/sign-in', async (request, reply) => {
    const session = await browserAuth.getSession(request)
    const query = SignInQuery.parse(request.query)
    return session === undefined ? showSignIn(reply, query) : reply.redirect(query.next, 303)
  })

  pages.post('/sign-in', { bodyLimit: publicFormBytes + maxSealedLength }, async (request, reply) => {
    const query = SignInQuery.parse(request.query)
    const sealedForm = SealedFormField.parse(request.body)
    const userId = await browserAuth.signIn(request, reply)
    if (userId === undefined) {
      return showSignIn(
        reply,
        { ...query, sealedForm },
        { failedEmail: SignInForm.parse(request.body).email },
      )
    }
    const path = toFormPath(query.next)
    const isRestored = sealedForm !== undefined && openForm(deps, { path, userId }, sealedForm) !== undefined
    // With 307, the browser sends the sealed fields on to the form, which shows them.
    return reply.redirect(query.next, isRestored ? 307 : 303)
  })

  pages.post('/sign-out', publicForm, async (request, reply) => {
    const { next } = NextQuery.parse(request.query)
    await browserAuth.signOut(request, reply)
    return reply.redirect(next === '/' ? '/sign-in' : next, 303)
  })
}

/** Returns true for a request by htmx, which loads a part of a page. */
export const isFragment = ({ headers }: FastifyRequest): boolean => headers['hx-request'] === 'true'

/** @param page where to go after signing in */
export function redirectToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
  page = request.url,
): FastifyReply {
  const { method, headers } = request
  const isForm = method !== 'GET'
  if (isFragment(request)) {
    reply.code(401)
    // A lookup while the user fills in a form must not navigate away from the form.
    if (headers['outdial-aside'] === 'true') return reply.send()
    const next = parseCurrentPage(headers['hx-current-url'], publicUrl) ?? page
    return reply.header('HX-Redirect', signInPath(next, isForm)).send()
  }
  return reply.redirect(signInPath(page, isForm), 303)
}

const signInPath = (next: string, isFormLost: boolean): string =>
  `/sign-in?${isFormLost ? 'lost=form&' : ''}next=${encodeURIComponent(next)}`

/** Returns the path of the page that htmx sent the request from, if it's a page of this service. */
function parseCurrentPage(address: string | string[] | undefined, publicUrl: string): string | undefined {
  if (typeof address !== 'string' || address.length > maxAddressLength || !URL.canParse(address))
    return undefined
  const { origin, pathname, search } = new URL(address)
  return origin === new URL(publicUrl).origin ? pathname + search : undefined
}
