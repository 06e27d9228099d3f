import * as z from 'zod'
import { changePassword } from '../../identity/passwords.ts'
import { form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import type { PasswordGuard } from './guard-password.ts'

const page = template<{ email: string }>('dashboard/account/password-page')

const Passwords = z.object({ current_password: z.string(), new_password: z.string() })

export const passwordPage = (guard: PasswordGuard) =>
  form({
    path: '/account/password',
    query: none,
    form: Passwords,
    show: async ({ person }) => page('Change your password', { email: person.email }),
    submit: async (own, visit, input) => {
      const who = { userId: visit.person.userId, sessionHash: visit.sessionHash }
      const { current_password: currentPassword, new_password: newPassword } = input
      await guard(visit.sessionHash, () => changePassword(own)(who, { currentPassword, newPassword }))
      const told = 'Your password was changed, and you were signed out everywhere else.'
      return done(pathTo(visit, '/account'), told)
    },
  })
