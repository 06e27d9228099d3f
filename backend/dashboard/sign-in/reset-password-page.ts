import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getPasswordReset, resetPassword } from '../../identity/password-resets.ts'
import { PageError } from '../../views/page-error.ts'
import { redirectTo, template } from '../page/define-page.ts'
import { mountPublicForm, type PublicFormParts } from './public-form.ts'

const resetPasswordView = template<{ email: string }>('dashboard/sign-in/reset-password-page')

const Path = z.object({ token: z.string() })
const NewPassword = z.object({ new_password: z.string() })

/** Where a reset link leads. */
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
      resetPasswordView('New password', { email: (await requireOpen(request)).reset.email }),
    submit: async ({ request, reply, input }) => {
      const { token } = await requireOpen(request)
      const userId = await resetPassword(deps, token, input.new_password)
      if (userId === undefined) throw linkClosedError('used')
      await parts.browserAuth.begin(request, reply, userId)
      return redirectTo('/', 'Your password was changed, and you were signed out everywhere else.')
    },
  })
}

const closedTexts = {
  used: {
    title: 'This link was used already',
    message: 'A link sets a new password once.',
    advice: 'Sign in with the new password, or ask for another link.',
  },
  expired: {
    title: 'This link has expired',
    message: 'Links for a new password last for 24 hours.',
    advice: 'Ask for another one.',
  },
  void: {
    title: 'This link does not work any more',
    message: 'The person who made it may not reset this password any longer.',
    advice: 'Ask whoever runs this Outdial installation for another one.',
  },
  unknown: {
    title: 'This link is not valid',
    message: 'A newer one took its place, the password was changed meanwhile, or the link is not complete.',
    advice: 'Check that you opened the whole link, or ask for another one.',
  },
}

const linkClosedError = (state: keyof typeof closedTexts) => new PageError(410, closedTexts[state])
