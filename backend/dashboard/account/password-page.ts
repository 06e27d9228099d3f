import * as z from 'zod'
import { changePassword } from '../../identity/passwords.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import type { PasswordAttemptLimit } from './guard-password.ts'

const passwordView = template<{ email: string }>('dashboard/account/password-page')

const PasswordFields = z.object({ current_password: z.string(), new_password: z.string() })

export const passwordPage = (limitPasswordAttempts: PasswordAttemptLimit) =>
  formRoute({
    path: '/account/password',
    query: noInput,
    form: PasswordFields,
    show: async ({ user }) => passwordView('Change your password', { email: user.email }),
    submit: async (tx, context, input) => {
      const session = { userId: context.user.userId, sessionHash: context.sessionHash }
      const { current_password: currentPassword, new_password: newPassword } = input
      await limitPasswordAttempts(context.sessionHash, () =>
        changePassword(tx)(session, { currentPassword, newPassword }),
      )
      const message = 'Your password was changed, and you were signed out everywhere else.'
      return redirectTo(pathTo(context, '/account'), message)
    },
  })
