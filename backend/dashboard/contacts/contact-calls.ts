import { callBadge } from '../../platform/views/badges.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { Ui } from '../page/page-model.ts'
import type { CallOfContact } from './contact-queries.ts'

export interface CallsOfContact {
  calls: readonly CallOfContact[]
  /** Why queued calls wait, and their next attempts, by the call's ID. */
  waitNotes: ReadonlyMap<number, string>
}

/** Lists a contact's calls. */
export const contactCalls = (ui: Ui, { calls, waitNotes }: CallsOfContact): Html => html`
  <div class="table-scroll" tabindex="0" role="group" aria-label="Calls">
    <table>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">${labels.call.campaign_name}</th>
          <th scope="col">${labels.call.summary}</th>
          <th scope="col" class="number">${labels.call.duration_seconds}</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        ${calls.map(
          (call) => html`
            <tr>
              <th scope="row" class="nowrap">
                <a href="${ui.to(`/calls/${call.id}`)}">${badge(callBadge(call))} <span class="visually-hidden">call ${call.id}</span></a>
                ${call.test && badge({ tone: 'mute', text: 'Test' })}
              </th>
              <td class="target">${call.campaign_name}</td>
              <td>
                ${call.summary || html`<span class="soft">${waitNotes.get(call.id) || '–'}</span>`}
              </td>
              <td class="number">${call.duration_seconds === null ? html`<span class="soft">–</span>` : ui.duration(call.duration_seconds)}</td>
              <td class="nowrap">${time(ui, call.ended_at ?? call.queued_at)}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`
