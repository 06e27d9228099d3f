import {
  type CallingHours as Hours,
  type ConsentRequired,
  createCampaignTexts,
  formatOutcomeChoice,
  RetryOutcome,
  type RetryPolicy as Retry,
} from '@outdial/contract'
import { checks, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { endsWaitingCallsField } from '../calls/ends-waiting-calls.ts'
import { callingHoursFields } from '../page/calling-hours-fields.ts'
import { defineView } from '../page/define-page.ts'
import { type FormFrame, timeZones, toFormTexts } from '../page/forms.ts'

interface Choice {
  value: number
  label: string
}

const formTexts = toFormTexts(createCampaignTexts)

const retryOutcomes = RetryOutcome.options.map((value) => ({
  value,
  label: formatOutcomeChoice(value),
}))

export interface FormData extends FormFrame {
  /** Null for a new campaign. */
  campaign: { agent: string; number: string } | null
  values: {
    name: string
    agentId: number | ''
    phoneNumberId: number | ''
    timeZone: string
    hours: Hours
    maxConcurrentCalls: number
    retry: Retry
    consentRequired: ConsentRequired | ''
    consentMaxAgeDays: number | ''
    oneConversationPerDay: boolean
    closedOnFederalHolidays: boolean
  }
  agents: Choice[]
  numbers: Choice[]
  consentChoices: readonly { value: ConsentRequired | ''; label: string }[]
}

export const campaignFormView = defineView(
  (
    { ui, title, form },
    { back, agents, numbers, consentChoices, submitLabel, campaign, values }: FormData,
  ) => html`
    <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
    <h1>${title}</h1>
    ${
      !campaign &&
      agents.length === 0 &&
      html`
        <p class="notice" data-tone="warn">
          A campaign needs a Live agent. <a href="${ui.to('/agents')}">Publish or resume an agent</a> first.
        </p>
      `
    }
    ${
      !campaign &&
      numbers.length === 0 &&
      html`
        <p class="notice" data-tone="warn">
          A campaign needs an active phone number. <a href="${ui.to('/phone-numbers/new')}">Add a number</a> first.
        </p>
      `
    }
    ${pageForm(
      form,
      { class: 'stack form', novalidate: true },
      html`
        ${formMessage(form)}
        <section class="panel" aria-labelledby="who">
          <h2 id="who">Details</h2>
          ${field({
            form,
            ...formTexts.name,
            name: 'name',
            value: values.name,
            required: true,
            maxlength: 200,
          })}
          ${
            campaign
              ? html`
                <dl class="facts">
                  <dt>${formTexts.agent_id.label}</dt><dd>${campaign.agent}</dd>
                  <dt>${formTexts.phone_number_id.label}</dt><dd>${campaign.number}</dd>
                </dl>
                <p class="hint">The agent and phone number can't be changed. To use another agent or number, create a new campaign.</p>
              `
              : html`
                <div class="field-row">
                  ${field({
                    form,
                    ...formTexts.agent_id,
                    name: 'agent_id',
                    value: values.agentId,
                    options: agents,
                    required: true,
                  })}
                  ${field({
                    form,
                    ...formTexts.phone_number_id,
                    name: 'phone_number_id',
                    value: values.phoneNumberId,
                    options: numbers,
                    required: true,
                  })}
                </div>
              `
          }
        </section>
        <section class="panel" aria-labelledby="when">
          <h2 id="when">${formTexts.calling_hours.label}</h2>
          ${callingHoursFields(form, formTexts, values.hours)}
          ${field({
            form,
            ...formTexts.time_zone,
            name: 'time_zone',
            value: values.timeZone,
            required: true,
            list: 'time-zones',
          })}
          ${checks({
            form,
            name: 'closed_on_federal_holidays',
            label: formTexts.closed_on_federal_holidays.label,
            values: values.closedOnFederalHolidays ? ['yes'] : [],
            options: [
              {
                value: 'yes',
                label: "Don't call on federal holidays",
                hint: formTexts.closed_on_federal_holidays.hint,
              },
            ],
          })}
          <datalist id="time-zones">${timeZones.map((zone) => html`<option value="${zone}"></option>`)}</datalist>
        </section>
        <section class="panel" aria-labelledby="how">
          <h2 id="how">Retries and limits</h2>
          <div class="field-row">
            ${field({
              form,
              ...formTexts['retry.max_attempts'],
              name: 'retry.max_attempts',
              value: values.retry.max_attempts,
              type: 'number',
              min: 1,
              max: 10,
              required: true,
            })}
            ${field({
              form,
              ...formTexts['retry.delay_minutes'],
              name: 'retry.delay_minutes',
              value: values.retry.delay_minutes,
              type: 'number',
              min: 1,
              max: 1440,
              required: true,
            })}
            ${field({
              form,
              ...formTexts.max_concurrent_calls,
              name: 'max_concurrent_calls',
              value: values.maxConcurrentCalls,
              type: 'number',
              min: 1,
              max: 100,
              required: true,
            })}
          </div>
          ${checks({
            form,
            ...formTexts['retry.on'],
            name: 'retry.on',
            row: true,
            values: values.retry.on,
            options: retryOutcomes,
          })}
          ${checks({
            form,
            name: 'one_conversation_per_day',
            label: formTexts.one_conversation_per_day.label,
            values: values.oneConversationPerDay ? ['yes'] : [],
            options: [
              {
                value: 'yes',
                label: 'At most one conversation per phone number every 24 hours',
                hint: formTexts.one_conversation_per_day.hint,
              },
            ],
          })}
        </section>
        <section class="panel" aria-labelledby="consent">
          <h2 id="consent">Who may be called</h2>
          <div class="field-row">
            ${field({
              form,
              ...formTexts.consent_required,
              name: 'consent_required',
              value: values.consentRequired,
              options: consentChoices,
              required: true,
            })}
            ${field({
              form,
              ...formTexts.consent_max_age_days,
              name: 'consent_max_age_days',
              value: values.consentMaxAgeDays,
              type: 'number',
              min: 1,
              max: 3650,
            })}
          </div>
          ${endsWaitingCallsField(form)}
        </section>
        <div class="form-actions">
          <button class="primary">${submitLabel}</button>
          <a class="button quiet" href="${ui.to(back.path)}">Cancel</a>
        </div>
      `,
    )}
  `,
)
