import { boundedText } from '@outdial/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { getPasswordReset, resetPassword } from '../../accounts/identity/password-resets.ts'
import type { Deps } from '../../deps.ts'
import { field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { PageError } from '../../platform/views/page-error.ts'
import { definePublicView, redirectTo } from '../page/define-page.ts'
import { maxPublicTextLength, mountPublicForm, type PublicFormParts } from './public-form.ts'

const resetPasswordView = definePublicView(
  ({ form }, { email }: { email: string }) => html`
    <h1>Set new password</h1>
    <p class="lead">For <strong>${email}</strong></p>
    ${pageForm(
      form,
      { class: 'stack' },
      html`
        ${formMessage(form)}
        <input type="text" name="username" value="${email}" autocomplete="username" hidden>
        ${field({
          form,
          name: 'new_password',
          label: 'New password',
          type: 'password',
          required: true,
          autocomplete: 'new-password',
          minlength: 10,
          maxlength: 1024,
          hint: 'At least 10 characters, without your name or email. Several random words make a strong password.',
        })}
        <div class="actions"><button class="primary">Set password</button></div>
      `,
    )}
    <p class="note">You'll be signed in here and signed out everywhere else.</p>
  `,
)

const Path = z.object({ token: boundedText(200) })
const NewPassword = z.object({ new_password: boundedText(maxPublicTextLength) })

/** Mounts the page of a password reset link. */
export function mountResetPassword(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  parts: PublicFormParts,
): void {
  const requireOpen = async (request: FastifyRequest) => {
    const { token } = Path.parse(request.params)
    const reset = await getPasswordReset(deps, token)
    if (reset.state !== 'open') throw linkClosedError(reset.state)
    return { token, reset }
  }

  mountPublicForm(pages, parts, {
    form: NewPassword,
    show: async (request) =>
      resetPasswordView('Set new password', { email: (await requireOpen(request)).reset.email }),
    submit: async ({ request, reply, input }) => {
      const { token } = await requireOpen(request)
      const userId = await resetPassword(deps, token, input.new_password)
      if (userId === undefined) throw linkClosedError('used')
      await parts.browserAuth.begin(request, reply, userId)
      return redirectTo('/', "Password changed. You're signed out everywhere else.")
    },
  })
}

const closedTexts = {
  used: {
    title: 'This link was already used',
    message: 'Each password reset link works only once.',
    advice:
      'If you used it, sign in with your new password. Otherwise, ask the person who sent you the link for a new one.',
  },
  expired: {
    title: 'This link has expired',
    message: 'Password reset links expire after 24 hours.',
    advice: 'Ask the person who sent you the link for a new one.',
  },
  void: {
    title: 'This link no longer works',
    message: 'The person who created it can no longer reset your password.',
    advice: 'Ask your Outdial administrator for a new link.',
  },
  unknown: {
    title: "This link isn't valid",
    message: 'The link was replaced by a newer one, your password was changed, or the link is incomplete.',
    advice: 'Check that you opened the whole link, or ask the person who sent you the link for a new one.',
  },
}

const linkClosedError = (state: keyof typeof closedTexts) => new PageError(410, closedTexts[state])
