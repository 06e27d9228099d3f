import { oauthErrorTexts } from '@outdial/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { publicForm } from '../../platform/http/http-limits.ts'
import { newForm } from '../../platform/views/forms.ts'
import type { Html } from '../../platform/views/html.ts'
import { pageHeaders } from '../../platform/views/page-headers.ts'
import { consentPage } from '../../platform/views/pages/consent.ts'
import { signInPage } from '../../platform/views/pages/sign-in.ts'
import { listWorkspaces } from '../identity/members.ts'
import type { User } from '../identity/users.ts'
import { type BrowserAuth, SignInForm, wrongPasswordMessage } from '../sign-in/browser-auth.ts'
import { type Authorization, findAuthorization } from './find-authorization.ts'
import { createGrant } from './grants.ts'
import { scopeDescriptions } from './scopes.ts'

export const ConsentForm = z.object({
  user_id: z.coerce.number().catch(0),
  workspace_id: z.coerce.number().catch(0),
})

/** Adds the pages that an app's authorization request leads to: sign-in, then consent and choice of workspace. */
export function mountConsentPages(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  { provider, browserAuth }: { provider: Provider; browserAuth: BrowserAuth },
): void {
  const show = (reply: FastifyReply, authorization: Authorization, page: Html, status = 200) =>
    reply
      .code(status)
      .headers(pageHeaders({ formTargets: [authorization.formTarget] }))
      .send(String(page))

  const showSignIn = (reply: FastifyReply, authorization: Authorization, failed?: { email: string }) => {
    const page = signInPage({
      title: failed ? 'Error: Sign in' : 'Sign in',
      form: newForm(reply.generateCsrf()),
      action: `/connect/${authorization.uid}/sign-in`,
      app: authorization.app,
      canSignUp: false,
      isFormLost: false,
      sealedForm: null,
      email: failed?.email ?? authorization.loginHint,
      error: failed ? wrongPasswordMessage : null,
    })
    return show(reply, authorization, page, failed ? 422 : 200)
  }

  const showConsent = async (
    reply: FastifyReply,
    authorization: Authorization,
    user: User,
    error: string | null,
  ) => {
    const page = consentPage({
      title: `${error ? 'Error: ' : ''}Connect ${authorization.app.name}`,
      form: newForm(reply.generateCsrf()),
      path: `/connect/${authorization.uid}`,
      app: authorization.app,
      user,
      workspaces: await listWorkspaces(deps, user.userId),
      // Lists the email and the workspace's name, because the token response contains them.
      abilities: [
        "See your email and the workspace's name",
        ...authorization.scopes.map((scope) => scopeDescriptions[scope]),
      ],
      error,
    })
    return show(reply, authorization, page, error ? 422 : 200)
  }

  const findSignIn = async (request: FastifyRequest, authorization: Authorization) => {
    const session = await browserAuth.getSession(request)
    return session && !authorization.requiresSignIn(session.user.userId) ? session : undefined
  }

  pages.get('/connect/:uid', async (request, reply) => {
    const authorization = await findAuthorization(provider, request, reply)
    const session = await findSignIn(request, authorization)
    return session ? showConsent(reply, authorization, session.user, null) : showSignIn(reply, authorization)
  })

  pages.post('/connect/:uid/sign-in', publicForm, async (request, reply) => {
    const authorization = await findAuthorization(provider, request, reply)
    const userId = await browserAuth.signIn(request, reply)
    if (userId === undefined) return showSignIn(reply, authorization, SignInForm.parse(request.body))
    const login = { accountId: String(userId), remember: false }
    await provider.interactionResult(request.raw, reply.raw, { login })
    return reply.redirect(`/connect/${authorization.uid}`, 303)
  })

  pages.post('/connect/:uid/allow', publicForm, async (request, reply) => {
    const authorization = await findAuthorization(provider, request, reply)
    const session = await findSignIn(request, authorization)
    if (!session) return showSignIn(reply, authorization)
    const { user } = session
    const form = ConsentForm.parse(request.body)
    if (form.user_id !== user.userId) {
      return showConsent(
        reply,
        authorization,
        user,
        "You're now signed in as a different user. Choose a workspace again.",
      )
    }
    const grantId = await createGrant(deps, provider, form.workspace_id, session, authorization)
    if (grantId === undefined)
      return showConsent(reply, authorization, user, 'Choose the workspace to connect.')
    const redirectUrl = await provider.interactionResult(request.raw, reply.raw, {
      login: { accountId: String(user.userId), remember: false },
      consent: { grantId },
    })
    return reply.redirect(redirectUrl, 303)
  })

  pages.post('/connect/:uid/cancel', publicForm, async (request, reply) => {
    await findAuthorization(provider, request, reply)
    const redirectUrl = await provider.interactionResult(request.raw, reply.raw, {
      error: 'access_denied',
      error_description: oauthErrorTexts.access_denied.meaning,
    })
    return reply.redirect(redirectUrl, 303)
  })

  pages.post('/connect/:uid/sign-out', publicForm, async (request, reply) => {
    const authorization = await findAuthorization(provider, request, reply)
    await browserAuth.signOut(request, reply)
    return reply.redirect(`/connect/${authorization.uid}`, 303)
  })
}
