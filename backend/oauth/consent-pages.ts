import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { membershipsOf, type Person } from '../identity/user-store.ts'
import { pageHeaders } from '../views/page-headers.ts'
import type { RenderPage } from '../views/render.ts'
import { scopeInWords } from './scopes.ts'
import { type Door, SignInForm, wrongPassword } from '../sign-in/browser-auth.ts'
import { allow } from './grants.ts'
import { type Authorization, findAuthorization } from './find-authorization.ts'

const ConsentForm = z.object({
  user_id: z.coerce.number().catch(0),
  workspace_id: z.coerce.number().catch(0),
})

/** The pages between an app's request and its answer: who are you, which workspace, do you allow it. */
export function mountConnect(
  pages: FastifyInstance,
  deps: Deps,
  parts: { provider: Provider; render: RenderPage; door: Door },
): void {
  const { provider, render, door } = parts
  const find = findAuthorization(provider)

  const show = (reply: FastifyReply, authorization: Authorization, html: string, status = 200) =>
    reply
      .code(status)
      .headers(pageHeaders({ formTargets: [authorization.formTarget] }))
      .send(html)

  const showSignIn = (reply: FastifyReply, asked: Authorization, failed?: { email: string }) => {
    const html = render('sign-in', {
      title: failed ? 'Error: Sign in' : 'Sign in',
      csrf: reply.generateCsrf(),
      action: `/connect/${asked.uid}/sign-in`,
      app: asked.app,
      canSignUp: false,
      isFormLost: false,
      email: failed?.email ?? asked.loginHint,
      error: failed ? wrongPassword : null,
    })
    return show(reply, asked, html, failed ? 422 : 200)
  }

  const showConsent = async (
    reply: FastifyReply,
    asked: Authorization,
    person: Person,
    error: string | null,
  ) => {
    const html = render('consent', {
      title: `${error ? 'Error: ' : ''}Connect ${asked.app.name}`,
      csrf: reply.generateCsrf(),
      path: `/connect/${asked.uid}`,
      app: asked.app,
      person,
      workspaces: await membershipsOf(deps.db, person.userId),
      abilities: asked.scopes.map((scope) => scopeInWords[scope]),
      error,
    })
    return show(reply, asked, html, error ? 422 : 200)
  }

  const signedIn = async (request: FastifyRequest, asked: Authorization) => {
    const person = await door.personOf(request)
    return person && !asked.wantsSignIn(person.userId) ? person : undefined
  }

  pages.get('/connect/:uid', async (request, reply) => {
    const asked = await find(request, reply)
    const person = await signedIn(request, asked)
    return person ? showConsent(reply, asked, person, null) : showSignIn(reply, asked)
  })

  pages.post('/connect/:uid/sign-in', async (request, reply) => {
    const asked = await find(request, reply)
    const userId = await door.signIn(request, reply)
    if (userId === undefined) return showSignIn(reply, asked, SignInForm.parse(request.body))
    const login = { accountId: String(userId), remember: false }
    await provider.interactionResult(request.raw, reply.raw, { login })
    return reply.redirect(`/connect/${asked.uid}`, 303)
  })

  pages.post('/connect/:uid/allow', async (request, reply) => {
    const asked = await find(request, reply)
    const person = await signedIn(request, asked)
    if (!person) return showSignIn(reply, asked)
    const form = ConsentForm.parse(request.body)
    if (form.user_id !== person.userId) {
      return showConsent(reply, asked, person, 'You are now signed in as somebody else. Choose again.')
    }
    const member = await membershipsOf(deps.db, person.userId)
    if (!member.some(({ workspaceId }) => workspaceId === form.workspace_id)) {
      return showConsent(reply, asked, person, 'Choose the workspace that the app may work with.')
    }
    const grantId = await allow(deps, provider)(asked, person.userId, form.workspace_id)
    const back = await provider.interactionResult(request.raw, reply.raw, {
      login: { accountId: String(person.userId), remember: false },
      consent: { grantId },
    })
    return reply.redirect(back, 303)
  })

  pages.post('/connect/:uid/cancel', async (request, reply) => {
    await find(request, reply)
    const back = await provider.interactionResult(request.raw, reply.raw, {
      error: 'access_denied',
      error_description: 'the user did not allow the connection',
    })
    return reply.redirect(back, 303)
  })

  pages.post('/connect/:uid/sign-out', async (request, reply) => {
    const asked = await find(request, reply)
    await door.signOut(request, reply)
    return reply.redirect(`/connect/${asked.uid}`, 303)
  })
}
