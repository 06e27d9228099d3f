import { boundedText, phoneNumberTexts } from '@outdial/contract'
import * as z from 'zod'
import { activatePhoneNumber, addPhoneNumber, retirePhoneNumber } from '../../phone-numbers/phone-numbers.ts'
import { describeReadied } from '../../support/describe-readied.ts'
import { type Badge, phoneNumberBadge } from '../../views/badges.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { toFormTexts } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { joinSentences } from '../page/queued-message.ts'
import { selectPhoneNumbersWithCampaignCount } from './phone-number-queries.ts'

type ListedPhoneNumber = Awaited<ReturnType<typeof selectPhoneNumbersWithCampaignCount>>[number]

interface ShownPhoneNumber extends ListedPhoneNumber {
  badge: Badge
  /** Which calls activating starts; null if none wait, or if the number is active. */
  activateDetail: string | null
}

const phoneNumberListView = template<{ numbers: ShownPhoneNumber[] }>(
  'dashboard/phone-numbers/phone-number-list-page',
)
const formTexts = toFormTexts(phoneNumberTexts)
const addPhoneNumberView = template<{ text: typeof formTexts }>(
  'dashboard/phone-numbers/add-phone-number-page',
)

const NewNumber = z.object({ phone_number: boundedText(64), label: boundedText(200) })

export const phoneNumberListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) => {
    const numbers: ShownPhoneNumber[] = []
    for (const number of await selectPhoneNumbersWithCampaignCount(deps.db, workspace.id)) {
      const readied = { phone_number_id: number.id }
      const activateDetail =
        number.status === 'active' ? null : await describeReadied(deps, workspace, readied)
      numbers.push({ ...number, badge: phoneNumberBadge(number.status), activateDetail })
    }
    return phoneNumberListView('Phone numbers', { numbers })
  },
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
    const { workspace, params } = context
    await activatePhoneNumber(tx, workspace.id, params.id)
    const calls = await describeReadied(tx, workspace, { phone_number_id: params.id })
    return redirectTo(pathTo(context, '/phone-numbers'), joinSentences('Phone number activated.', calls))
  },
  back: (context) => pathTo(context, '/phone-numbers'),
})
