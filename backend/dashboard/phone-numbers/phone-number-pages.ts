import { boundedText, phoneNumberTexts } from '@outdial/contract'
import * as z from 'zod'
import { phoneNumberBadge } from '../../platform/views/badges.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { button, confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import {
  activatePhoneNumber,
  addPhoneNumber,
  retirePhoneNumber,
} from '../../queue/phone-numbers/phone-numbers.ts'
import { defineAction, defineForm, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { toFormTexts } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import type { PageModel } from '../page/page-model.ts'
import { joinSentences } from '../page/queued-message.ts'
import { describeReadied } from '../stories/describe-readied.ts'
import { type PhoneNumberWithCampaigns, selectPhoneNumbersWithCampaignCount } from './phone-number-queries.ts'

interface ListData {
  numbers: readonly PhoneNumberWithCampaigns[]
  /** The calls that activating a retired number starts, in words, by the number's ID. */
  activateDetails: ReadonlyMap<number, string | null>
}

const phoneNumberListView = defineView(
  ({ ui, form }, { numbers, activateDetails }: ListData) => html`
    <div class="page-head">
      <div>
        <h1>Phone numbers</h1>
        <p class="lead">The numbers your agents call from. Your contacts see them when an agent calls.</p>
      </div>
      <a class="button primary" href="${ui.to('/phone-numbers/new')}">Add number</a>
    </div>
    <section class="panel flush" aria-label="Phone numbers">
      ${
        numbers.length === 0
          ? html`
            <div class="empty">
              <p><strong>No phone numbers yet.</strong></p>
              <p>Add a number for your campaigns to call from.</p>
              <a class="button quiet" href="${ui.to('/phone-numbers/new')}">Add number</a>
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Phone numbers">
              <table>
                <thead>
                  <tr>
                    <th scope="col">${labels.phoneNumber.phone_number}</th>
                    <th scope="col">Status</th>
                    <th scope="col">Campaigns</th>
                    <th scope="col">Created at</th>
                    <th scope="col"><span class="visually-hidden">Actions</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${numbers.map(
                    (number) => html`
                      <tr>
                        <th scope="row">${number.label}<small>${number.phone_number} · ${number.country}</small></th>
                        <td>${badge(phoneNumberBadge(number.status))}</td>
                        <td>${number.campaigns === 0 ? html`<span class="soft">None</span>` : ui.count(number.campaigns)}</td>
                        <td class="nowrap">${time(ui, number.created_at)}</td>
                        <td class="actions-cell">
                          ${statusButton({ ui, form }, number, activateDetails.get(number.id) ?? null)}
                        </td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          `
      }
    </section>
  `,
)

function statusButton(
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  number: PhoneNumberWithCampaigns,
  activateDetail: string | null,
): Html {
  if (number.status === 'active')
    return confirm({
      form,
      id: `retire-${number.id}`,
      action: ui.to(`/phone-numbers/${number.id}/retire`),
      label: 'Retire',
      question: `Retire the phone number “${number.label}”?`,
      detail:
        'Agents no longer call from this number. Queued calls wait until you activate the number again. ' +
        'They expire 7 days after they were due.',
      confirm: 'Retire number',
    })
  const action = ui.to(`/phone-numbers/${number.id}/activate`)
  if (activateDetail === null)
    return button({ form, action, label: 'Activate', title: `Activate “${number.label}”` })
  return confirm({
    form,
    id: `activate-${number.id}`,
    look: 'quiet',
    action,
    label: 'Activate',
    question: `Activate the phone number “${number.label}”?`,
    detail: activateDetail,
    confirm: 'Activate number',
  })
}

const formTexts = toFormTexts(phoneNumberTexts)

const addPhoneNumberView = defineView(
  ({ ui, form }) => html`
    <a class="crumb" href="${ui.to('/phone-numbers')}">${icon('back')} Phone numbers</a>
    <h1>Add phone number</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        ${field({
          form,
          ...formTexts.phone_number,
          name: 'phone_number',
          type: 'tel',
          required: true,
          autocomplete: 'off',
          placeholder: '+12025550190',
        })}
        ${field({
          form,
          ...formTexts.label,
          name: 'label',
          required: true,
          maxlength: 200,
        })}
        <div class="form-actions">
          <button class="primary">Add number</button>
          <a class="button quiet" href="${ui.to('/phone-numbers')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const NewNumber = z.object({ phone_number: boundedText(64), label: boundedText(200) })

export const phoneNumberListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) => {
    const numbers = await selectPhoneNumbersWithCampaignCount(deps.db, workspace.id)
    const activateDetails = new Map<number, string | null>()
    for (const { id, status } of numbers)
      if (status !== 'active')
        activateDetails.set(id, await describeReadied(deps, workspace, { phone_number_id: id }))
    return phoneNumberListView('Phone numbers', { numbers, activateDetails })
  },
})

export const newPhoneNumberPage = defineForm({
  query: noInput,
  form: NewNumber,
  show: async () => addPhoneNumberView('Add phone number', {}),
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
