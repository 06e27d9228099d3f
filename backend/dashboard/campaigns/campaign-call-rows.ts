import type { Badge } from '../../platform/views/badges.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { Ui } from '../page/page-model.ts'

export interface CampaignCallRow {
  id: number
  contact: string
  badge: Badge
  waitReason: string
  /** Empty if the call waits for something other than a time. */
  nextAttempt: string
  queuedAt: string
}

/** Lists a few calls of a campaign. */
export const campaignCallRows = ({
  ui,
  label,
  shows,
  calls,
}: {
  ui: Ui
  label: string
  shows: 'waiting' | 'ended'
  calls: readonly CampaignCallRow[]
}): Html => html`
  <div class="table-scroll" tabindex="0" role="group" aria-label="${label}">
    <table>
      <thead>
        <tr>
          <th scope="col">${labels.call.contact}</th>
          <th scope="col">${shows === 'waiting' ? labels.call.waiting_for : labels.call.outcome}</th>
          <th scope="col">${shows === 'waiting' ? labels.call.next_attempt_at : labels.call.queued_at}</th>
        </tr>
      </thead>
      <tbody>
        ${calls.map(
          (call) => html`
            <tr>
              <th scope="row"><a href="${ui.to(`/calls/${call.id}`)}">${call.contact}</a></th>
              ${
                shows === 'waiting'
                  ? html`
                    <td>${call.waitReason}</td>
                    <td>${call.nextAttempt}</td>
                  `
                  : html`
                    <td>${badge(call.badge)}</td>
                    <td class="nowrap">${time(ui, call.queuedAt)}</td>
                  `
              }
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`
