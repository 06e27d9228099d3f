import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { editUser } from '../../identity/users.ts'
import { listSessions } from '../../identity/sessions/list.ts'
import { revokeOtherSessions, revokeSession } from '../../identity/sessions/revoke.ts'
import { actionRoute, formRoute, noInput } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { formatBrowser } from './browser-in-words.ts'
import type { PasswordAttemptLimit } from './guard-password.ts'

interface SessionRow {
  id: number
  browser: string
  since: Date
  lastSeenAt: Date
  isCurrent: boolean
}

const accountView = template<{
  user: { name: string; email: string }
  sessions: SessionRow[]
  others: number
}>('dashboard/account/account-page')

const AccountForm = z.object({
  name: z.string().max(200),
  email: z.string().max(254),
  current_password: z.string().default(''),
})

export const accountPage = (deps: Deps, limitPasswordAttempts: PasswordAttemptLimit) =>
  formRoute({
    path: '/account',
    query: noInput,
    form: AccountForm,
    show: async ({ user, sessionHash }) => {
      const sessions = await listSessions(deps)(user.userId, sessionHash)
      return accountView('Your account', {
        user: { name: user.name, email: user.email },
        sessions: sessions.map(({ userAgent, ...session }) => ({
          ...session,
          browser: formatBrowser(userAgent),
        })),
        others: sessions.filter(({ isCurrent }) => !isCurrent).length,
      })
    },
    submit: async (tx, context, { name, email, current_password: currentPassword }) => {
      const save = () => editUser(tx)(context.user.userId, { name, email, currentPassword })
      await (email.trim() === context.user.email ? save() : limitPasswordAttempts(context.sessionHash, save))
      return redirectTo(pathTo(context, '/account'), 'Saved.')
    },
  })

const accountPath = (context: Parameters<typeof pathTo>[0]) => pathTo(context, '/account')

export const endSessionAction = actionRoute({
  path: '/account/sessions/:id/end',
  form: noInput,
  run: async (tx, context) => {
    await revokeSession(tx)(context.user.userId, context.id)
    return redirectTo(accountPath(context), 'That browser was signed out.')
  },
  back: accountPath,
})

export const endOtherSessionsAction = actionRoute({
  path: '/account/sessions/end-others',
  form: noInput,
  run: async (tx, context) => {
    await revokeOtherSessions(tx)(context.user.userId, context.sessionHash)
    return redirectTo(accountPath(context), 'You were signed out everywhere but here.')
  },
  back: accountPath,
})
