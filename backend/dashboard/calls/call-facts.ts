import { badge, linkedText, time } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { Ui } from '../page/page-model.ts'
import type { CallHistory } from '../stories/call-history.ts'
import { describeSettings } from '../stories/describe-settings.ts'

/** Shows a call's contact, times, and numbers, and the settings that it was queued with. */
export function callFacts(ui: Ui, history: CallHistory): Html {
  const { call } = history
  const nextAttemptAt = history.wait?.nextAt ?? null
  const answeredAt = call.outcome === 'voicemail' ? null : call.answered_at
  const variables = Object.entries(call.contact.variables)
  const metadata = Object.entries(call.metadata)
  const madeWith = describeSettings(history.details.queued_with, ui.timeZone)
  return html`
    <section class="panel" aria-labelledby="contact">
      <div class="panel-head">
        <h2 id="contact">${labels.call.contact}</h2>
        ${call.contact.do_not_call && badge({ tone: 'bad', text: labels.contact.do_not_call })}
      </div>
      <dl class="facts">
        <dt>Name</dt><dd><a href="${ui.to(`/contacts/${call.contact.id}`)}">${formatContactName(call.contact, call.to_number)}</a></dd>
        ${call.to_number ? html`<dt>${labels.call.to_number}</dt><dd class="nowrap">${call.to_number}</dd>` : null}
        ${call.contact.email ? html`<dt>${labels.contact.email}</dt><dd>${call.contact.email}</dd>` : null}
        ${call.contact.external_id ? html`<dt>${labels.contact.external_id}</dt><dd>${call.contact.external_id}</dd>` : null}
        ${call.contact.time_zone ? html`<dt>${labels.contact.time_zone}</dt><dd>${call.contact.time_zone}</dd>` : null}
        ${variables.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}
      </dl>
    </section>
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Call</h2>
      <dl class="facts">
        <dt>${labels.call.id}</dt><dd>${call.id}</dd>
        <dt>${labels.call.from_number}</dt><dd>${history.details.number_label} <span class="soft nowrap">${call.from_number}</span></dd>
        <dt>${labels.call.queued_at}</dt><dd>${time(ui, call.queued_at)}</dd>
        <dt>${labels.call.origin}</dt><dd>${linkedText(ui, history.origin)}</dd>
        ${call.scheduled_at ? html`<dt>${labels.call.scheduled_at}</dt><dd>${time(ui, call.scheduled_at)}</dd>` : null}
        ${nextAttemptAt ? html`<dt>${labels.call.next_attempt_at}</dt><dd>${time(ui, nextAttemptAt)}</dd>` : null}
        <dt>${labels.call.attempts}</dt><dd>${call.attempts}</dd>
        ${answeredAt ? html`<dt>${labels.call.answered_at}</dt><dd>${time(ui, answeredAt)}</dd>` : null}
        ${call.ended_at ? html`<dt>${labels.call.ended_at}</dt><dd>${time(ui, call.ended_at)}</dd>` : null}
        ${call.duration_seconds !== null && html`<dt>${labels.call.duration_seconds}</dt><dd>${ui.duration(call.duration_seconds)}</dd>`}
      </dl>
    </section>
    ${
      madeWith.length > 0 &&
      html`
        <section class="panel" aria-labelledby="made-with">
          <h2 id="made-with">Settings for this call</h2>
          <details>
            <summary>Settings when the call was queued</summary>
            <dl class="facts">
              ${madeWith.map((setting) => html`<dt>${setting.label}</dt><dd>${setting.value}</dd>`)}
            </dl>
          </details>
        </section>
      `
    }
    ${
      metadata.length > 0 &&
      html`
        <section class="panel" aria-labelledby="metadata">
          <h2 id="metadata">${labels.call.metadata}</h2>
          <dl class="facts">
            ${metadata.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}
          </dl>
        </section>
      `
    }
  `
}
