import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { editPerson } from '../../identity/users.ts'
import { listSessions } from '../../identity/sessions/list.ts'
import { revokeOtherSessions, revokeSession } from '../../identity/sessions/revoke.ts'
import { act, form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { browserInWords } from './browser-in-words.ts'
import type { PasswordGuard } from './guard-password.ts'

interface SessionRow {
  id: number
  browser: string
  since: Date
  lastSeenAt: Date
  isThis: boolean
}

const page = template<{ person: { name: string; email: string }; sessions: SessionRow[]; others: number }>(
  'dashboard/account/account-page',
)

const Person = z.object({
  name: z.string().max(200),
  email: z.string().max(254),
  current_password: z.string().default(''),
})

export const accountPage = (deps: Deps, guard: PasswordGuard) =>
  form({
    path: '/account',
    query: none,
    form: Person,
    show: async ({ person, sessionHash }) => {
      const sessions = await listSessions(deps)(person.userId, sessionHash)
      return page('Your account', {
        person: { name: person.name, email: person.email },
        sessions: sessions.map(({ userAgent, ...session }) => ({
          ...session,
          browser: browserInWords(userAgent),
        })),
        others: sessions.filter(({ isThis }) => !isThis).length,
      })
    },
    submit: async (own, visit, { name, email, current_password: currentPassword }) => {
      const save = () => editPerson(own)(visit.person.userId, { name, email, currentPassword })
      await (email.trim() === visit.person.email ? save() : guard(visit.sessionHash, save))
      return done(pathTo(visit, '/account'), 'Saved.')
    },
  })

const toAccount = (visit: Parameters<typeof pathTo>[0]) => pathTo(visit, '/account')

export const endSessionButton = act({
  path: '/account/sessions/:id/end',
  form: none,
  act: async (own, visit) => {
    await revokeSession(own)(visit.person.userId, visit.id)
    return done(toAccount(visit), 'That browser was signed out.')
  },
  back: toAccount,
})

export const endOtherSessionsButton = act({
  path: '/account/sessions/end-others',
  form: none,
  act: async (own, visit) => {
    await revokeOtherSessions(own)(visit.person.userId, visit.sessionHash)
    return done(toAccount(visit), 'You were signed out everywhere but here.')
  },
  back: toAccount,
})
