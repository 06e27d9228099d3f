import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { editPerson } from '../../identity/users.ts'
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
  person: { name: string; email: string }
  sessions: SessionRow[]
  others: number
}>('dashboard/account/account-page')

const Person = z.object({
  name: z.string().max(200),
  email: z.string().max(254),
  current_password: z.string().default(''),
})

export const accountPage = (deps: Deps, limitPasswordAttempts: PasswordAttemptLimit) =>
  formRoute({
    path: '/account',
    query: noInput,
    form: Person,
    show: async ({ person, sessionHash }) => {
      const sessions = await listSessions(deps)(person.userId, sessionHash)
      return accountView('Your account', {
        person: { name: person.name, email: person.email },
        sessions: sessions.map(({ userAgent, ...session }) => ({
          ...session,
          browser: formatBrowser(userAgent),
        })),
        others: sessions.filter(({ isCurrent }) => !isCurrent).length,
      })
    },
    submit: async (tx, context, { name, email, current_password: currentPassword }) => {
      const save = () => editPerson(tx)(context.person.userId, { name, email, currentPassword })
      await (email.trim() === context.person.email
        ? save()
        : limitPasswordAttempts(context.sessionHash, save))
      return redirectTo(pathTo(context, '/account'), 'Saved.')
    },
  })

const accountPath = (context: Parameters<typeof pathTo>[0]) => pathTo(context, '/account')

export const endSessionAction = actionRoute({
  path: '/account/sessions/:id/end',
  form: noInput,
  run: async (tx, context) => {
    await revokeSession(tx)(context.person.userId, context.id)
    return redirectTo(accountPath(context), 'That browser was signed out.')
  },
  back: accountPath,
})

export const endOtherSessionsAction = actionRoute({
  path: '/account/sessions/end-others',
  form: noInput,
  run: async (tx, context) => {
    await revokeOtherSessions(tx)(context.person.userId, context.sessionHash)
    return redirectTo(accountPath(context), 'You were signed out everywhere but here.')
  },
  back: accountPath,
})
