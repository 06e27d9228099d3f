import { consentRequiredTexts, workspaceTexts } from '@outdial/contract'
import { nameCountry } from '../../platform/core/countries.ts'
import { time } from '../../platform/views/elements.ts'
import { formatCallingHours } from '../../platform/views/format.ts'
import { checks, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { frequencyLimits, type getCallRules } from '../../queue/rules/call-rules.ts'
import { holidaysCheckedOn, stateHolidays } from '../../queue/rules/holidays.ts'
import { lawCheckedOn, lawRows, statesToCheck } from '../../queue/rules/hours-by-law.ts'
import { endsWaitingCallsField } from '../calls/ends-waiting-calls.ts'
import { defineView } from '../page/define-page.ts'
import { consentChoices, toFormTexts } from '../page/forms.ts'
import { settingsTabs } from './settings-tabs.ts'

interface RulesData {
  /** False while calls are simulated. */
  areInEffect: boolean
  rules: Awaited<ReturnType<typeof getCallRules>> & { callsSpecialNumbers: boolean }
  /** Names the person or program that last changed the rules; null if the rules were never changed. */
  changedBy: string | null
  /** Says that calls can't wait until closed days end. Empty if they can. */
  longClosure: string
}

export const rulesView = defineView(
  ({ ui, isOwner, form }, { areInEffect, rules, changedBy, longClosure }: RulesData) => {
    const { hoursByLaw, callsSpecialNumbers, changed } = rules
    const countries = rules.countries?.map(nameCountry).join(', ') ?? ''
    const closedDates = rules.closedDates.join(', ')
    return html`
      <h1>Settings</h1>
      ${settingsTabs({ ui, here: '/settings/rules' })}
      ${
        !areInEffect &&
        html`
          <p class="notice" data-tone="warn">
            Calls are simulated, so no phone rings. Of these rules, only the one about premium-rate and satellite numbers is checked. The
            others will be when calls are real.
          </p>
        `
      }
      ${longClosure ? html`<p class="notice" data-tone="warn">${longClosure}</p>` : null}
      ${
        isOwner
          ? pageForm(
              form,
              { class: 'panel stack form', novalidate: true, 'aria-labelledby': 'rules' },
              html`
                <h2 id="rules">Who may be called</h2>
                ${formMessage(form)}
                ${field({ form, ...formTexts.countries, name: 'countries', value: countries, rows: 3, maxlength: 5000 })}
                ${checks({
                  form,
                  name: 'hours_by_law',
                  label: formTexts.hours_by_law.label,
                  values: hoursByLaw ? ['yes'] : [],
                  options: [
                    {
                      value: 'yes',
                      label: 'Call numbers in the United States only in the hours below',
                      hint: "On the contact's clock, and in addition to the calling hours of each campaign.",
                    },
                  ],
                })}
                <div class="field-row">
                  ${field({
                    form,
                    ...formTexts.consent_required,
                    name: 'consent_required',
                    value: rules.consentRequired,
                    options: consentChoices,
                    required: true,
                  })}
                  ${field({
                    form,
                    ...formTexts.consent_max_age_days,
                    name: 'consent_max_age_days',
                    value: rules.consentMaxAgeDays,
                    type: 'number',
                    min: 1,
                    max: 3650,
                  })}
                </div>
                <div class="field-row">
                  ${field({
                    form,
                    ...formTexts.max_attempts_per_day,
                    name: 'max_attempts_per_day',
                    value: rules.maxAttemptsPerDay,
                    options: attemptChoices.perDay,
                    required: true,
                  })}
                  ${field({
                    form,
                    ...formTexts.max_attempts_per_30_days,
                    name: 'max_attempts_per_30_days',
                    value: rules.maxAttemptsPer30Days,
                    options: attemptChoices.per30Days,
                    required: true,
                  })}
                </div>
                <div class="field-row">
                  ${field({
                    form,
                    ...formTexts.max_attempts_per_own_number,
                    name: 'max_attempts_per_own_number',
                    value: rules.maxAttemptsPerOwnNumber,
                    type: 'number',
                    min: 1,
                    max: 10000,
                  })}
                  ${field({
                    form,
                    ...formTexts.max_minutes_per_month,
                    name: 'max_minutes_per_month',
                    value: rules.maxMinutesPerMonth,
                    type: 'number',
                    min: 30,
                    max: 1000000,
                  })}
                </div>
                ${field({
                  form,
                  ...formTexts.closed_dates,
                  name: 'closed_dates',
                  value: closedDates,
                  rows: 2,
                  maxlength: 2000,
                })}
                ${checks({
                  form,
                  name: 'calls_special_numbers',
                  label: formTexts.calls_special_numbers.label,
                  values: callsSpecialNumbers ? ['yes'] : [],
                  options: [
                    {
                      value: 'yes',
                      label: 'Call premium-rate, shared-cost, personal, pager, and satellite numbers',
                      hint: 'These calls can cost much more than others. Anyone who fills in a public form can enter such a number.',
                    },
                  ],
                })}
                ${endsWaitingCallsField(form)}
                <p class="hint">
                  Calls to other countries and numbers aren't queued. Waiting calls follow a change, and
                  you're asked before it ends any. Test calls aren't affected.
                </p>
                <div class="form-actions"><button class="primary">Save</button></div>
              `,
            )
          : html`
            <section class="panel form" aria-labelledby="rules">
              <h2 id="rules">Who may be called</h2>
              <dl class="facts">
                <dt>${formTexts.countries.label}</dt><dd>${countries || 'All'}</dd>
                <dt>${formTexts.consent_required.label}</dt><dd>${consentRequiredTexts[rules.consentRequired].label}</dd>
                <dt>${formTexts.consent_max_age_days.label}</dt><dd>${rules.consentMaxAgeDays ?? 'Any age'}</dd>
                <dt>${formTexts.max_attempts_per_day.label}</dt><dd>${rules.maxAttemptsPerDay ?? 'Any number'}</dd>
                <dt>${formTexts.max_attempts_per_30_days.label}</dt><dd>${rules.maxAttemptsPer30Days ?? 'Any number'}</dd>
                <dt>${formTexts.max_attempts_per_own_number.label}</dt><dd>${rules.maxAttemptsPerOwnNumber ?? 'Any number'}</dd>
                <dt>${formTexts.max_minutes_per_month.label}</dt><dd>${rules.maxMinutesPerMonth ?? 'Any number'}</dd>
                <dt>${formTexts.hours_by_law.label}</dt><dd>${hoursByLaw ? 'In the United States' : 'Not checked'}</dd>
                <dt>${formTexts.closed_dates.label}</dt><dd>${closedDates || 'None'}</dd>
                <dt>${formTexts.calls_special_numbers.label}</dt><dd>${callsSpecialNumbers ? 'Called' : 'Not called'}</dd>
              </dl>
              <p class="hint">Only owners can change these rules. See <a href="${ui.to('/settings/members')}">Members</a> for the list of owners.</p>
            </section>
          `
      }
      <section class="panel flush" aria-labelledby="law">
        <h2 id="law">Hours by law in the United States</h2>
        <div class="table-scroll" tabindex="0" role="group" aria-label="${formTexts.hours_by_law.label}">
          <table>
            <thead><tr><th scope="col">State</th><th scope="col">Hours</th><th scope="col">Source</th></tr></thead>
            <tbody>
              ${lawRows.map(
                (row) => html`
                  <tr>
                    <th scope="row">${row.state ?? 'All states'}</th>
                    <td>${formatCallingHours(row.hours)}</td>
                    <td>${row.source} (${sourceKinds[row.kind]})</td>
                  </tr>
                `,
              )}
            </tbody>
          </table>
        </div>
        <p class="small-text">
          Read on ${lawCheckedOn}. The state is that of the area code. A number without a state, such as a toll-free one, gets the
          hours of every state. Other states may have narrower hours, or forbid calls on holidays. Check these:
          ${statesToCheck.join(', ')}.
        </p>
      </section>
      <section class="panel flush" aria-labelledby="holidays">
        <h2 id="holidays">State holidays</h2>
        <div class="table-scroll" tabindex="0" role="group" aria-label="State holidays">
          <table>
            <thead><tr><th scope="col">State</th><th scope="col">Closed on</th><th scope="col">Source</th></tr></thead>
            <tbody>
              ${stateHolidays.map(
                ({ state, names, source }) => html`
                  <tr>
                    <th scope="row">${state}</th>
                    <td>${names.join('; ')}</td>
                    <td>${source}</td>
                  </tr>
                `,
              )}
            </tbody>
          </table>
        </div>
        <p class="small-text">
          Read on ${holidaysCheckedOn}. With hours by law, no calls are placed on these days, nor on the Friday before or the Monday after
          if one is on a weekend. Outdial doesn't know the days that a governor proclaims.
        </p>
      </section>
      <section class="panel form" aria-labelledby="limits">
        <h2 id="limits">What Outdial doesn't check</h2>
        <p>
          Outdial doesn't check national do-not-call registries, whether a number has been reassigned to someone else, the hours and
          holidays by law of other states and countries, or what an agent says. This page isn't legal advice: which calls are allowed depends
          on the law where your contacts are.
        </p>
        ${
          changed
            ? html`
              <p class="soft small-text">
                Changed by ${changedBy}, ${time(ui, changed.at, 'phrase')}.
              </p>
            `
            : null
        }
      </section>
    `
  },
)

const formTexts = toFormTexts(workspaceTexts)

const toAttemptChoices = (max: number) => [
  { value: '', label: 'Any number' },
  ...Array.from({ length: max }, (_, index) => ({ value: index + 1, label: String(index + 1) })),
]

const attemptChoices = {
  perDay: toAttemptChoices(frequencyLimits.perDay),
  per30Days: toAttemptChoices(frequencyLimits.per30Days),
}

/** Descriptions of the sources that rows of the table can have. */
const sourceKinds = {
  law: 'the law itself',
  firm: 'according to law firms',
  marketing: 'according to vendors of calling software',
} as const
