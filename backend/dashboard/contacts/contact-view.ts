import { detailColumns } from '../../platform/db/tables/contact-fields.ts'
import { badge, linkedText, live, pager, time } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { contactLabels, formatConsentKind } from '../../queue/contacts/contact-labels.ts'
import type { findNotes } from '../../queue/contacts/contact-notes.ts'
import type { FullContact } from '../../queue/contacts/find-contacts.ts'
import { defineView } from '../page/define-page.ts'
import type { Ui } from '../page/page-model.ts'
import { type CallsOfContact, contactCalls } from './contact-calls.ts'
import { type ShownChange } from './contact-history-section.ts'
import { doNotCallRemovals } from './do-not-call-removals.ts'

export interface DoNotCallStatus {
  doNotCall: { source: string; reason: string; since: Date } | null
  removals: { source: string; reason: string; at: Date; by: string }[]
}

interface ContactData extends DoNotCallStatus, CallsOfContact {
  contact: FullContact
  localTime: { text: string; source: string } | null
  notes: Awaited<ReturnType<typeof findNotes>>
  history: ShownChange[]
  older: string | null
}

export const contactView = defineView(
  (
    { ui, form, here },
    { contact, doNotCall, removals, localTime, notes, history, calls, waitNotes, older }: ContactData,
  ) => {
    const name = formatContactName(contact, contact.phone_number)
    const isLive = calls.some(({ status }) => status !== 'completed')
    const facts = detailColumns.filter((column) => contact[column])
    const variables = Object.entries(contact.variables)
    const notesPath = ui.to(`/contacts/${contact.id}/notes`)
    const noteForm = form.sentTo(notesPath)
    return html`
      <a class="crumb" href="${ui.to('/contacts')}">${icon('back')} Contacts</a>
      <div class="page-head">
        <div>
          <h1>${name}</h1>
          <p class="row">
            <span>${contact.phone_number}</span>
            ${doNotCall !== null && badge({ tone: 'bad', text: labels.contact.do_not_call })}
          </p>
        </div>
        <div class="page-head-actions">
          ${
            !doNotCall &&
            html`
              <a class="button primary small" href="${ui.to(`/contacts/${contact.id}/call`)}">Call now</a>
              <a class="button quiet small" href="${ui.to(`/contacts/${contact.id}/add-to-campaign`)}">Add to campaign</a>
            `
          }
          <a class="button quiet small" href="${ui.to(`/contacts/${contact.id}/edit`)}">Edit</a>
          ${
            !doNotCall &&
            confirm({
              form,
              id: 'do-not-call',
              look: 'quiet',
              action: ui.to(`/contacts/${contact.id}/do-not-call`),
              label: 'Add to do-not-call list',
              question: `Add ${name} to the do-not-call list?`,
              detail:
                'Campaigns no longer call this number. Waiting calls to the number end with the outcome Suppressed.',
              confirm: 'Add to list',
              reason: { name: 'reason', label: labels.addToDoNotCallList.reason },
            })
          }
          <a class="button danger small" href="${ui.to(`/contacts/${contact.id}/erase`)}">Erase contact</a>
        </div>
      </div>
      ${
        doNotCall !== null &&
        html`
          <div class="notice" data-tone="warn">
            <p>
              This number has been on the do-not-call list since
              ${time(ui, doNotCall.since)} (${doNotCall.source}).${
                doNotCall.reason
                  ? html`
                    ${labels.addToDoNotCallList.reason}: ${doNotCall.reason}`
                  : null
              }
            </p>
            ${confirm({
              form,
              id: 'allow',
              look: 'quiet',
              action: ui.to(`/contacts/${contact.id}/allow-again`),
              label: 'Remove from do-not-call list',
              question: `Remove ${name} from the do-not-call list?`,
              detail: 'Make sure this person agreed to be called again. Your name and the reason are saved.',
              confirm: 'Remove from list',
              reason: { name: 'reason', label: labels.addToDoNotCallList.reason },
            })}
          </div>
        `
      }
      <div class="columns">
        <div>
          <section class="panel flush" aria-labelledby="calls"${attributes(live(isLive ? here : null, '2s'))}>
            <h2 id="calls">Calls</h2>
            ${
              calls.length === 0
                ? html`
                  <div class="empty">
                    <p><strong>No calls yet.</strong></p>
                    ${!doNotCall && html`<a class="button quiet small" href="${ui.to(`/contacts/${contact.id}/call`)}">Call now</a>`}
                  </div>
                `
                : html`
                  ${contactCalls(ui, { calls, waitNotes })}
                  ${pager({ previous: null, next: older })}
                `
            }
          </section>
          <section class="panel" aria-labelledby="notes">
            <h2 id="notes">Notes</h2>
            ${
              notes.length === 0
                ? html`<p class="soft small-text">No notes yet. Agents add notes during calls. You can add one below.</p>`
                : html`
                  <ul class="contact-notes">
                    ${notes.map(
                      (note) => html`
                        <li><p>${note.text}</p><p class="soft small-text">${time(ui, note.created_at)}</p></li>
                      `,
                    )}
                  </ul>
                `
            }
            ${pageForm(
              noteForm,
              { action: notesPath, class: 'stack' },
              html`
                ${formMessage(noteForm)}
                ${field({ form: noteForm, name: 'text', label: 'New note', rows: 2, required: true })}
                <div><button class="quiet small">Add note</button></div>
              `,
            )}
          </section>
          <section class="panel" aria-labelledby="history">
            <h2 id="history">History</h2>
            ${history.length === 0 && html`<p class="soft small-text">No changes were recorded.</p>`}
            <ul class="contact-notes">
              ${history.map(
                (change) => html`
                  <li>
                    <p>
                      <strong>${change.title}</strong>
                      <span class="soft">${linkedText(ui, change.by)}</span>
                    </p>
                    ${change.values.map(
                      (value) => html`
                        <p>${value.label}: ${value.before} → ${value.after}</p>
                      `,
                    )}
                    <p class="soft small-text">${time(ui, change.at)}</p>
                  </li>
                `,
              )}
            </ul>
          </section>
        </div>
        <aside>
          <section class="panel" aria-labelledby="facts">
            <h2 id="facts">Details</h2>
            <dl class="facts">
              ${facts.map((column) => html`<dt>${contactLabels[column]}</dt><dd>${contact[column]}</dd>`)}
              <dt>Local time</dt>
              <dd>
                ${
                  localTime
                    ? html`${localTime.text}<br><span class="soft small-text">${localTime.source}</span>`
                    : html`<span class="soft">Unknown. Calls use the campaign's time zone.</span>`
                }
              </dd>
              <dt>${labels.contact.consent}</dt>
              <dd>
                ${consentOfContact(ui, contact)}
              </dd>
              <dt>${labels.contact.created_at}</dt><dd>${time(ui, contact.created_at)}</dd>
              <dt>${labels.contact.updated_at}</dt><dd>${time(ui, contact.updated_at)}</dd>
              <dt>${labels.contact.id}</dt><dd>${contact.id} <span class="soft small-text">(for Zapier and the API)</span></dd>
            </dl>
          </section>
          <section class="panel" aria-labelledby="variables">
            <h2 id="variables">${labels.contact.variables}</h2>
            ${
              variables.length === 0
                ? html`<p class="soft small-text">No variables yet. Edit the contact to add some.</p>`
                : html`
                  <dl class="facts">
                    ${variables.map(([variable, value]) => html`<dt>${variable}</dt><dd>${value}</dd>`)}
                  </dl>
                `
            }
          </section>
          ${
            removals.length > 0 &&
            html`
              <section class="panel" aria-labelledby="removals">
                <h2 id="removals">Do-not-call removals</h2>
                ${doNotCallRemovals({ ui, removals })}
              </section>
            `
          }
        </aside>
      </div>
    `
  },
)

function consentOfContact(ui: Ui, contact: FullContact): Html {
  if (contact.consent_source === null || contact.consent_at === null)
    return html`<span class="soft">Not recorded</span>`
  const kind = formatConsentKind(contact.consent_kind)
  return html`
    ${contact.consent_source}<br><span class="soft small-text">
      ${kind && `${kind}, `}${time(ui, contact.consent_at)}</span>
  `
}
