import { boundedText } from '@outdial/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { acceptInvitation, type AcceptResult, getInvitation } from '../../accounts/identity/invitations.ts'
import { requireSession } from '../../accounts/sign-in/browser-auth.ts'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { formMessage, pageForm, postForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { PageError } from '../../platform/views/page-error.ts'
import { definePublicView, redirectTo } from '../page/define-page.ts'
import { newUserFields } from './new-user-fields.ts'
import { maxPublicTextLength, mountPublicForm, type PublicFormParts } from './public-form.ts'

interface InvitationData {
  workspaceName: string
  invitedBy: string | null
  role: 'owner' | 'member'
  email: string
  /** The signed-in user, who would accept the invitation. */
  user: { name: string; email: string } | null
  signInPath: string
  signOutPath: string
}

const invitationView = definePublicView(
  (
    { form },
    { workspaceName, invitedBy, role, user, signOutPath, email, signInPath }: InvitationData,
  ) => html`
    <h1>Join ${workspaceName}</h1>
    <p class="lead">
      ${invitedBy ? html`<strong>${invitedBy}</strong> invited you` : "You're invited"}
      to join <strong>${workspaceName}</strong> on Outdial as
      ${role === 'owner' ? 'an owner' : 'a member'}.
    </p>
    ${
      user
        ? html`
          <div class="person">
            <span class="avatar" aria-hidden="true">${user.name.slice(0, 1)}</span>
            <span class="person-name">${user.name}<small>${user.email}</small></span>
            ${postForm(form, { action: signOutPath }, html`<button class="link">Not you? Sign out</button>`)}
          </div>
          ${pageForm(
            form,
            { class: 'stack' },
            html`
              ${formMessage(form)}
              <div class="actions"><button class="primary">Join workspace</button></div>
            `,
          )}
        `
        : html`
          ${pageForm(
            form,
            { class: 'stack' },
            html`
              ${formMessage(form)}
              ${newUserFields(form, email)}
              <div class="actions"><button class="primary">Create account and join</button></div>
            `,
          )}
          <p class="note">Already have an account? <a href="${signInPath}">Sign in</a> to join.</p>
        `
    }
  `,
)

const Path = z.object({ token: boundedText(200) })
/** The fields are optional because a signed-in user submits only the button. */
const NewUserForm = z.object({
  name: boundedText(200).optional(),
  email: boundedText(254).optional(),
  password: boundedText(maxPublicTextLength).optional(),
})

/** Mounts the page of an invitation, where a signed-in or a new user joins the workspace. */
export function mountInvitation(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  parts: PublicFormParts,
): void {
  const tokenOf = (request: FastifyRequest) => Path.parse(request.params).token

  mountPublicForm(pages, parts, {
    form: NewUserForm,
    show: async (request) => {
      const token = tokenOf(request)
      const invitation = await getInvitation(deps, token)
      if (invitation.state !== 'open') throw invitationClosedError(invitation.state)
      const user = (await parts.browserAuth.getUser(request)) ?? null
      const { workspaceName, invitedBy, role, email } = invitation
      const back = `?next=${encodeURIComponent(`/invitations/${token}`)}`
      return invitationView(`Join ${workspaceName}`, {
        ...{ workspaceName, invitedBy, role, email, user },
        signInPath: `/sign-in${back}`,
        signOutPath: `/sign-out${back}`,
      })
    },
    submit: async ({ request, reply, input }) => {
      const session = await parts.browserAuth.getSession(request)
      const accepted = await inTransaction(deps, async (tx) => {
        if (session !== undefined) await requireSession(tx, session)
        return acceptInvitation(tx, tokenOf(request), session?.user ?? requireNewUser(input))
      })
      if (!isMember(accepted)) throw invitationClosedError(accepted.state)
      if (session === undefined) await parts.browserAuth.begin(request, reply, accepted.userId)
      const message =
        accepted.state === 'accepted'
          ? "Welcome! You're now a member of this workspace."
          : "You're already a member of this workspace. Another person can still use the invitation."
      return redirectTo(`/w/${accepted.workspaceId}/overview`, message)
    },
  })
}

function requireNewUser(input: z.output<typeof NewUserForm>): {
  name: string
  email: string
  password: string
} {
  const { name, email, password } = input
  const details = (['name', 'email', 'password'] as const)
    .filter((key) => input[key] === undefined)
    .map((key) => ({ field: key, code: 'required', message: `${key} is required.` }))
  if (name !== undefined && email !== undefined && password !== undefined) return { name, email, password }
  throw new FormError('validation_failed', 'Fill in every field.', { details })
}

type AcceptedMember = Extract<AcceptResult, { userId: number }>
const isMember = (accepted: AcceptResult): accepted is AcceptedMember => 'userId' in accepted

const closedTexts = {
  used: {
    title: 'This invitation was already used',
    message: 'Each invitation works only once.',
    advice: 'If you used it, sign in. Otherwise, ask the person who invited you for a new link.',
  },
  expired: {
    title: 'This invitation has expired',
    message: 'Invitations expire after seven days.',
    advice: 'Ask the person who invited you for a new link.',
  },
  unknown: {
    title: "This invitation isn't valid",
    message: 'The invitation was withdrawn, or the link is incomplete.',
    advice: 'Check that you opened the whole link, or ask the person who invited you for a new one.',
  },
}

const invitationClosedError = (state: keyof typeof closedTexts) => new PageError(410, closedTexts[state])
