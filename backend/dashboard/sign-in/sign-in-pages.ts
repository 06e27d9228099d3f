import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { listWorkspaces } from '../../identity/members.ts'
import { hasUsers } from '../../identity/users.ts'
import { type BrowserAuth, SignInForm, wrongPasswordMessage } from '../../sign-in/browser-auth.ts'
import { pageHeaders } from '../../views/page-headers.ts'
import type { RenderPage } from '../../views/render.ts'

/** Where to go after signing in or out: a path of this service, never another place. A header holds plain ASCII only. */
const NextQuery = z.object({
  next: z
    .string()
    .regex(/^\/(?![/\\])[!-[\]-~]*$/)
    .catch('/'),
})

/** `lost`: the session ended before a form was sent. */
const SignInQuery = NextQuery.extend({ lost: z.enum(['form']).optional().catch(undefined) })

/** Signing in and out without an app that asks for it, and where one arrives. */
export function mountSignInPages(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db'>,
  parts: { render: RenderPage; browserAuth: BrowserAuth },
): void {
  const { render, browserAuth } = parts

  const showSignIn = async (
    reply: FastifyReply,
    { next, lost }: z.output<typeof SignInQuery>,
    failed?: { email: string },
  ) => {
    const html = render('sign-in', {
      title: failed ? 'Error: Sign in' : 'Sign in',
      csrf: reply.generateCsrf(),
      action: `/sign-in?next=${encodeURIComponent(next)}`,
      app: null,
      canSignUp: !(await hasUsers(deps)),
      isFormLost: lost === 'form' && failed === undefined,
      email: failed?.email ?? '',
      error: failed ? wrongPasswordMessage : null,
    })
    return reply
      .code(failed ? 422 : 200)
      .headers(pageHeaders())
      .send(html)
  }

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

  pages.post('/sign-in', async (request, reply) => {
    const query = SignInQuery.parse(request.query)
    const userId = await browserAuth.signIn(request, reply)
    if (userId === undefined) return showSignIn(reply, query, SignInForm.parse(request.body))
    return reply.redirect(query.next, 303)
  })

  pages.post('/sign-out', async (request, reply) => {
    const { next } = NextQuery.parse(request.query)
    await browserAuth.signOut(request, reply)
    return reply.redirect(next === '/' ? '/sign-in' : next, 303)
  })
}

/** Returns true for the request of a live part of a page that refreshes itself. */
export const isFragment = ({ headers }: FastifyRequest): boolean => headers['hx-request'] === 'true'

export function redirectToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  const { url: address, method, routeOptions, headers } = request
  const isForm = method !== 'GET'
  if (isFragment(request)) {
    reply.code(401)
    // What is looked up while somebody fills in a form takes nobody away from it.
    if (headers['outdial-aside'] === 'true') return reply.send()
    const next = parseCurrentPage(headers['hx-current-url'], publicUrl) ?? (isForm ? undefined : address)
    return reply.header('HX-Redirect', signInPath(next, isForm)).send()
  }
  // A form stands at its own address; a button has no page there.
  const next = !isForm || routeOptions.config.hasPage ? address : undefined
  return reply.redirect(signInPath(next, isForm), 303)
}

function signInPath(next: string | undefined, isFormLost: boolean): string {
  const query = [
    ...(isFormLost ? ['lost=form'] : []),
    ...(next === undefined ? [] : [`next=${encodeURIComponent(next)}`]),
  ]
  return `/sign-in?${query.join('&')}`
}

/** The page that a part of it asks from: a path of this service, or nothing. */
function parseCurrentPage(address: string | string[] | undefined, publicUrl: string): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { origin, pathname, search } = new URL(address)
  return origin === new URL(publicUrl).origin ? pathname + search : undefined
}
