import { AddContact, addContactTexts } from '@outdial/contract'
import * as z from 'zod'
import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import { addContact } from '../../contacts/add-contact.ts'
import { throwAsFieldError } from '../../core/errors.ts'
import { validate } from '../../core/validate.ts'
import { describeBlocker, toCampaignOptions } from '../contacts/campaign-options.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { formText, toFormTexts } from '../page/forms.ts'
import { pathTo } from '../page/page-context.ts'

interface SimulateCallData {
  /** The campaigns that can call now. */
  campaigns: { value: number; label: string }[]
  text: typeof formTexts
}

const formTexts = toFormTexts(addContactTexts)

const simulateCallView = template<SimulateCallData>('dashboard/calls/simulate-call-page')

/** Simulates a call to any number: the quickest way to see what Outdial does. */
export const simulateCallPage = defineForm({
  query: noInput,
  form: z.object({
    phone_number: formText.optional(),
    campaign_id: z.coerce.number().int().min(1).optional(),
  }),
  show: async (deps, { workspace }) => {
    const campaigns = await listOpenCampaigns(deps, workspace.id)
    const ready = campaigns.filter((campaign) => describeBlocker(campaign) === undefined)
    return simulateCallView('Simulate a call', {
      campaigns: toCampaignOptions(ready),
      text: formTexts,
    })
  },
  submit: async (tx, context, fields) => {
    const input = validate(AddContact, { ...fields, test: true })
    const { contact, call } = await addContact(tx, context.caller, input).catch(throwAsFieldError)
    if (call === null || typeof call === 'string' || call.suppressedFor !== null) {
      const message = "This number is on the do-not-call list, so calls to it aren't simulated either."
      return redirectTo(pathTo(context, `/contacts/${contact.id}`), message)
    }
    const message = call.queued
      ? 'The call is being simulated. No phone rings.'
      : 'This contact already has a call that is waiting or in progress in this campaign.'
    return redirectTo(pathTo(context, `/calls/${call.id}`), message)
  },
})
