import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { activatePhoneNumber } from '../../phone-numbers/activate.ts'
import { addPhoneNumber } from '../../phone-numbers/phone-numbers.ts'
import { retirePhoneNumber } from '../../phone-numbers/retire.ts'
import { selectNumbersWithUse } from '../../phone-numbers/phone-number-store.ts'
import { act, form, type Line, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'

type NumberWithUse = Awaited<ReturnType<typeof selectNumbersWithUse>>[number]

const list = template<{ numbers: NumberWithUse[] }>('dashboard/phone-numbers/phone-number-list-page')
const add = template<object>('dashboard/phone-numbers/add-phone-number-page')

const NewNumber = z.object({ phone_number: z.string().max(64), label: z.string().max(200) })

/** The numbers that calls are made from. */
export const phoneNumberLines = (deps: Deps): Line[] => [
  show({
    path: '/phone-numbers',
    query: none,
    show: async ({ workspace }) =>
      list('Phone numbers', { numbers: await selectNumbersWithUse(deps.db, workspace.id) }),
  }),

  form({
    path: '/phone-numbers/new',
    query: none,
    form: NewNumber,
    show: async () => add('Add a phone number', {}),
    submit: async (own, visit, { phone_number, label }) => {
      await addPhoneNumber(own)(visit.workspace.id, { phoneNumber: phone_number, label })
      return done(pathTo(visit, '/phone-numbers'), 'The number was added: campaigns can call from it now.')
    },
  }),

  act({
    path: '/phone-numbers/:id/retire',
    form: none,
    act: async (own, visit) => {
      await retirePhoneNumber(own)({ workspaceId: visit.workspace.id, phoneNumberId: visit.id })
      return done(pathTo(visit, '/phone-numbers'), 'The number was retired: no more calls are made from it.')
    },
    back: (visit) => pathTo(visit, '/phone-numbers'),
  }),

  act({
    path: '/phone-numbers/:id/activate',
    form: none,
    act: async (own, visit) => {
      await activatePhoneNumber(own)({ workspaceId: visit.workspace.id, phoneNumberId: visit.id })
      return done(pathTo(visit, '/phone-numbers'), 'The number is active: calls that waited for it go out.')
    },
    back: (visit) => pathTo(visit, '/phone-numbers'),
  }),
]
