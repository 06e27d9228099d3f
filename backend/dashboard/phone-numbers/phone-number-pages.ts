import { boundedText, phoneNumberTexts } from '@outdial/contract'
import * as z from 'zod'
import { activatePhoneNumber, addPhoneNumber, retirePhoneNumber } from '../../phone-numbers/phone-numbers.ts'
import { type Badge, phoneNumberBadge } from '../../views/badges.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { toFormTexts } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { selectPhoneNumbersWithCampaignCount } from './phone-number-queries.ts'

type ListedPhoneNumber = Awaited<ReturnType<typeof selectPhoneNumbersWithCampaignCount>>[number]

const phoneNumberListView = template<{ numbers: (ListedPhoneNumber & { badge: Badge })[] }>(
  'dashboard/phone-numbers/phone-number-list-page',
)
const formTexts = toFormTexts(phoneNumberTexts)
const addPhoneNumberView = template<{ text: typeof formTexts }>(
  'dashboard/phone-numbers/add-phone-number-page',
)

const NewNumber = z.object({ phone_number: boundedText(64), label: boundedText(200) })

export const phoneNumberListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) =>
    phoneNumberListView('Phone numbers', {
      numbers: (await selectPhoneNumbersWithCampaignCount(deps.db, workspace.id)).map((number) => ({
        ...number,
        badge: phoneNumberBadge(number.status),
      })),
    }),
})

export const newPhoneNumberPage = defineForm({
  query: noInput,
  form: NewNumber,
  show: async () => addPhoneNumberView('Add phone number', { text: formTexts }),
  submit: async (tx, context, { phone_number, label }) => {
    await addPhoneNumber(tx, context.workspace.id, { phone_number, label })
    return redirectTo(
      pathTo(context, '/phone-numbers'),
      'Phone number added. Campaigns can now call from it.',
    )
  },
})

export const retirePhoneNumberAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await retirePhoneNumber(tx, context.workspace.id, context.params.id)
    return redirectTo(
      pathTo(context, '/phone-numbers'),
      'Phone number retired. No more calls are placed from it.',
    )
  },
  back: (context) => pathTo(context, '/phone-numbers'),
})

export const activatePhoneNumberAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await activatePhoneNumber(tx, context.workspace.id, context.params.id)
    return redirectTo(
      pathTo(context, '/phone-numbers'),
      'Phone number activated. Its waiting calls can be placed now.',
    )
  },
  back: (context) => pathTo(context, '/phone-numbers'),
})
