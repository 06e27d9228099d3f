import * as z from 'zod'
import { allowAgain } from '../../contacts/allow-again.ts'
import { parsePhone } from '../../core/phone.ts'
import { refuseCalls } from '../../contacts/refuse.ts'
import type { Deps } from '../../deps.ts'
import { act, form, type Line } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { refusalOf, type ShownRefusal } from './contact-page.ts'

interface ListData {
  asked: string
  /** What is wrong with the number that was asked for. */
  problem: string
  answer: (ShownRefusal & { phoneNumber: string }) | null
}

const page = template<ListData>('dashboard/contacts/do-not-call-page')

const Reason = z.string().trim().max(500)

const path = '/contacts/do-not-call'

/** Numbers are kept hashed: they cannot be listed, but asked for one by one. */
export const doNotCallLines = (deps: Deps): Line[] => [
  form({
    path,
    query: z.object({ number: z.string().trim().max(64).optional().catch(undefined) }),
    form: z.object({ phone_number: z.string().max(64), reason: Reason }),
    show: async ({ workspace, query }) => {
      const asked = query.number ?? ''
      const nothing = { asked, problem: '', answer: null }
      if (asked === '') return page('Do not call', nothing)
      const parsed = parsePhone(asked, workspace.country)
      if (!parsed.ok) return page('Do not call', { ...nothing, problem: parsed.message })
      const { phoneNumber } = parsed
      const answer = { phoneNumber, ...(await refusalOf(deps, workspace.id, phoneNumber)) }
      return page('Do not call', { asked, problem: '', answer })
    },
    submit: async (own, visit, { phone_number, reason }) => {
      await refuseCalls(own)(visit.workspace.id, { phoneNumber: phone_number }, reason)
      return done(pathTo(visit, path), 'The number is on the list: it is not called any more.')
    },
  }),

  act({
    path: '/contacts/do-not-call/remove',
    form: z.object({ phone_number: z.string().max(64), reason: Reason }),
    act: async (own, visit, { phone_number, reason }) => {
      const removed = await allowAgain(own)(visit.caller, { phoneNumber: phone_number }, reason)
      return done(pathTo(visit, path), removed ? takenOff : notThere)
    },
    back: (visit) => pathTo(visit, path),
  }),

  act({
    path: '/contacts/:id/do-not-call',
    form: z.object({ reason: Reason }),
    act: async (own, visit, { reason }) => {
      await refuseCalls(own)(visit.workspace.id, { contactId: visit.id }, reason)
      return done(contactPath(visit), 'The number is on the do-not-call list: it is not called any more.')
    },
    back: (visit) => contactPath(visit),
  }),

  act({
    path: '/contacts/:id/allow-again',
    form: z.object({ reason: Reason }),
    act: async (own, visit, { reason }) => {
      const removed = await allowAgain(own)(visit.caller, { contactId: visit.id }, reason)
      return done(contactPath(visit), removed ? takenOff : notThere)
    },
    back: (visit) => contactPath(visit),
  }),
]

const takenOff = 'The number may be called again. Calls that had ended because of it stay ended.'
const notThere = 'The number was not on the list.'

const contactPath = (visit: Visit) => pathTo(visit, `/contacts/${visit.id}`)
