import type { FastifyInstance, FastifyReply } from 'fastify'
import * as z from 'zod'
import { pageHeaders } from '../views/headers.ts'
import type { RenderPage } from '../views/render.ts'
import { type Door, SignInForm, wrongPassword } from './sign-in.ts'

/** Where to go after signing in: a path of this service, never another place. */
const Next = z.object({
  next: z
    .string()
    .regex(/^\/(?![/\\])[^\\\s]*$/)
    .catch('/sign-in'),
})

/** Signing in and out without an app that asks for it. */
export function mountSignIn(pages: FastifyInstance, parts: { render: RenderPage; door: Door }): void {
  const { render, door } = parts

  const showSignIn = (reply: FastifyReply, next: string, failed?: { email: string }) =>
    reply
      .code(failed ? 422 : 200)
      .headers(pageHeaders())
      .send(
        render('sign-in', {
          title: failed ? 'Error: Sign in' : 'Sign in',
          csrf: reply.generateCsrf(),
          action: `/sign-in?next=${encodeURIComponent(next)}`,
          app: null,
          email: failed?.email ?? '',
          error: failed ? wrongPassword : null,
        }),
      )

  pages.get('/sign-in', async (request, reply) => {
    const person = await door.personOf(request)
    if (!person) return showSignIn(reply, Next.parse(request.query).next)
    const html = render('signed-in', { title: 'Signed in', csrf: reply.generateCsrf(), person })
    return reply.headers(pageHeaders()).send(html)
  })

  pages.post('/sign-in', async (request, reply) => {
    const { next } = Next.parse(request.query)
    const userId = await door.signIn(request, reply)
    if (userId === undefined) return showSignIn(reply, next, SignInForm.parse(request.body))
    return reply.redirect(next, 303)
  })

  pages.post('/sign-out', async (request, reply) => {
    await door.signOut(request, reply)
    return reply.redirect('/sign-in', 303)
  })
}
