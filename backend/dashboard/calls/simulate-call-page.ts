import { AddContact, addContactTexts } from '@outdial/contract'
import * as z from 'zod'
import { throwAsFieldError } from '../../platform/core/errors.ts'
import { validate } from '../../platform/core/validate.ts'
import { field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { listOpenCampaigns } from '../../queue/campaigns/campaigns.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { describeBlocker, toCampaignOptions } from '../contacts/campaign-options.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { formText, toFormTexts } from '../page/forms.ts'
import { pathTo } from '../page/page-context.ts'

interface SimulateCallData {
  /** The campaigns that can call now. */
  campaigns: { value: number; label: string }[]
}

const formTexts = toFormTexts(addContactTexts)

const simulateCallView = defineView(
  ({ ui, form }, { campaigns }: SimulateCallData) => html`
    <a class="crumb" href="${ui.to('/overview')}">${icon('back')} Overview</a>
    <h1>Simulate a call</h1>
    ${
      campaigns.length === 0
        ? html`
          <div class="panel empty">
            <p><strong>No campaign can call yet.</strong></p>
            <p>Create a campaign with a Live agent and an active phone number, or resume one.</p>
            <a class="button quiet" href="${ui.to('/campaigns')}">View campaigns</a>
          </div>
        `
        : pageForm(
            form,
            { class: 'panel stack form', novalidate: true },
            html`
              ${formMessage(form)}
              <p>No phone rings, and calling hours don't apply. You'll see the conversation and its result.</p>
              ${field({
                form,
                name: 'phone_number',
                label: formTexts.phone_number.label,
                type: 'tel',
                autocomplete: 'tel',
                required: true,
                hint:
                  'Any number, for example yours. Numbers that end in 0100 answer, and those that end in 0103 reach voicemail. ' +
                  "Numbers that end in 0101 don't answer, and those that end in 0102 are busy. If the campaign retries such calls, they " +
                  'take longer to complete.',
              })}
              ${field({
                form,
                ...formTexts.campaign_id,
                name: 'campaign_id',
                value: campaigns[0]?.value,
                options: campaigns,
                required: true,
              })}
              <div class="form-actions">
                <button class="primary">Simulate call</button>
                <a class="button quiet" href="${ui.to('/overview')}">Cancel</a>
              </div>
            `,
          )
    }
  `,
)

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
