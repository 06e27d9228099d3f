import { addContactTexts } from '@outdial/contract'
import { type ContactColumn } from '../../platform/db/tables/contact-fields.ts'
import { checks, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import type { FullContact } from '../../queue/contacts/find-contacts.ts'
import { defineView } from '../page/define-page.ts'
import { consentKinds, type FormFrame, timeZones, toFormTexts } from '../page/forms.ts'

export type Values = Record<ContactColumn, string>

const formTexts = toFormTexts(addContactTexts)

interface FormData extends FormFrame {
  /** Null for a new contact. */
  contact: FullContact | null
  values: Values
  country: string
  campaigns: { value: number | ''; label: string }[]
  chosen: number | ''
}

export const contactFormView = defineView(
  ({ ui, title, form }, { back, country, chosen, campaigns, submitLabel, contact, values }: FormData) => html`
    <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
    <h1>${title}</h1>
    ${pageForm(
      form,
      { class: 'stack form', novalidate: true },
      html`
        ${formMessage(form)}
        <section class="panel" aria-labelledby="who">
          <h2 id="who">Details</h2>
          ${
            contact
              ? html`
                <dl class="facts"><dt>${formTexts.phone_number.label}</dt><dd>${contact.phone_number}</dd></dl>
                <p class="hint">The phone number can't be changed. To use another number, create a new contact.</p>
              `
              : html`
                <div class="field-row">
                  ${field({
                    form,
                    ...formTexts.phone_number,
                    name: 'phone_number',
                    type: 'tel',
                    required: true,
                    autocomplete: 'off',
                    placeholder: '+12025550100',
                  })}
                  ${field({
                    form,
                    ...formTexts.country,
                    name: 'country',
                    maxlength: 64,
                    autocomplete: 'off',
                    placeholder: country,
                  })}
                </div>
              `
          }
          <div class="field-row">
            ${field({
              form,
              ...formTexts.first_name,
              name: 'first_name',
              value: values.first_name,
              maxlength: 200,
              autocomplete: 'off',
            })}
            ${field({
              form,
              ...formTexts.last_name,
              name: 'last_name',
              value: values.last_name,
              maxlength: 200,
              autocomplete: 'off',
            })}
          </div>
          <div class="field-row">
            ${field({
              form,
              ...formTexts.email,
              name: 'email',
              value: values.email,
              type: 'email',
              maxlength: 254,
              autocomplete: 'off',
            })}
            ${field({
              form,
              ...formTexts.external_id,
              name: 'external_id',
              value: values.external_id,
              maxlength: 200,
              autocomplete: 'off',
            })}
          </div>
          ${field({
            form,
            ...formTexts.time_zone,
            name: 'time_zone',
            value: values.time_zone,
            list: 'time-zones',
            maxlength: 64,
            autocomplete: 'off',
          })}
          <datalist id="time-zones">${timeZones.map((zone) => html`<option value="${zone}"></option>`)}</datalist>
        </section>
        <section class="panel" aria-labelledby="known">
          <h2 id="known">Details for the agent</h2>
          ${field({
            form,
            ...formTexts.variables,
            name: 'variables',
            value: values.variables,
            rows: 4,
            code: true,
            placeholder: 'product = Roof inspection',
          })}
        </section>
        <section class="panel" aria-labelledby="consent">
          <h2 id="consent">${formTexts.consent.label}</h2>
          <div class="field-row">
            ${field({
              form,
              ...formTexts['consent.source'],
              name: 'consent.source',
              value: values.consent_source,
              maxlength: 500,
              autocomplete: 'off',
            })}
            ${field({
              form,
              ...formTexts['consent.at'],
              name: 'consent.at',
              value: values.consent_at,
              autocomplete: 'off',
              placeholder: '2026-05-04 09:30',
              hint: `${formTexts['consent.at'].hint} The time zone is ${ui.timeZone} unless you enter another one.`,
            })}
          </div>
          ${field({
            form,
            ...formTexts['consent.kind'],
            name: 'consent.kind',
            value: values.consent_kind,
            options: consentKinds,
          })}
          ${
            !contact &&
            checks({
              form,
              name: 'do_not_call',
              label: formTexts.do_not_call.label,
              values: [],
              options: [
                {
                  value: 'yes',
                  label: 'Add the number to the do-not-call list',
                  hint: formTexts.do_not_call.hint,
                },
              ],
            })
          }
        </section>
        ${
          !contact &&
          html`
            <section class="panel" aria-labelledby="call">
              <h2 id="call">Call</h2>
              ${field({
                form,
                name: 'campaign_id',
                label: formTexts.campaign_id.label,
                value: chosen,
                options: campaigns,
              })}
              ${checks({
                form,
                name: 'test',
                label: formTexts.test.label,
                values: [],
                options: [{ value: 'yes', label: 'Simulate the call', hint: formTexts.test.hint }],
              })}
            </section>
          `
        }
        <div class="form-actions">
          <button class="primary">${submitLabel}</button>
          <a class="button quiet" href="${ui.to(back.path)}">Cancel</a>
        </div>
      `,
    )}
  `,
)
