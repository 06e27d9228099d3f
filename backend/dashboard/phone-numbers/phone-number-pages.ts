import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { activatePhoneNumber, addPhoneNumber, retirePhoneNumber } from '../../phone-numbers/phone-numbers.ts'
import { pathTo } from '../page/page-context.ts'
import {
  actionRoute,
  type DashboardRoute,
  formRoute,
  noInput,
  pageRoute,
  redirectTo,
  template,
} from '../page/page-route.ts'
import { selectPhoneNumbersWithCampaignCount } from './phone-number-queries.ts'

type ListedPhoneNumber = Awaited<ReturnType<typeof selectPhoneNumbersWithCampaignCount>>[number]

const phoneNumberListView = template<{ numbers: ListedPhoneNumber[] }>(
  'dashboard/phone-numbers/phone-number-list-page',
)
const addPhoneNumberView = template<object>('dashboard/phone-numbers/add-phone-number-page')

const NewNumber = z.object({ phone_number: z.string().max(64), label: z.string().max(200) })

/** The numbers that calls are made from. */
export const phoneNumberRoutes = (deps: Deps): DashboardRoute[] => [
  pageRoute({
    path: '/phone-numbers',
    query: noInput,
    show: async ({ workspace }) =>
      phoneNumberListView('Phone numbers', {
        numbers: await selectPhoneNumbersWithCampaignCount(deps.db, workspace.id),
      }),
  }),

  formRoute({
    path: '/phone-numbers/new',
    query: noInput,
    form: NewNumber,
    show: async () => addPhoneNumberView('Add a phone number', {}),
    submit: async (tx, context, { phone_number, label }) => {
      await addPhoneNumber(tx, context.workspace.id, { phoneNumber: phone_number, label })
      return redirectTo(
        pathTo(context, '/phone-numbers'),
        'The number was added: campaigns can call from it now.',
      )
    },
  }),

  actionRoute({
    path: '/phone-numbers/:id/retire',
    form: noInput,
    run: async (tx, context) => {
      await retirePhoneNumber(tx, context.workspace.id, context.id)
      return redirectTo(
        pathTo(context, '/phone-numbers'),
        'The number was retired: no more calls are made from it.',
      )
    },
    back: (context) => pathTo(context, '/phone-numbers'),
  }),

  actionRoute({
    path: '/phone-numbers/:id/activate',
    form: noInput,
    run: async (tx, context) => {
      await activatePhoneNumber(tx, context.workspace.id, context.id)
      return redirectTo(
        pathTo(context, '/phone-numbers'),
        'The number is active: calls that waited for it go out.',
      )
    },
    back: (context) => pathTo(context, '/phone-numbers'),
  }),
]
