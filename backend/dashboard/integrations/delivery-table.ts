import { deliveryBadge } from '../../platform/views/badges.ts'
import { badge, live, pager, time } from '../../platform/views/elements.ts'
import { formatMilliseconds } from '../../platform/views/format.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { filterLinks } from '../page/filter-links.ts'
import type { Ui } from '../page/page-model.ts'
import type { DeliveryTable } from './delivery-pages.ts'
import type { DeliverySummary } from './webhook-queries.ts'

/** Lists a page of deliveries. */
export const deliveryTable = ({
  ui,
  table,
  here,
  empty,
}: {
  ui: Ui
  table: DeliveryTable
  here: string
  empty: string
}): Html => html`
  <section class="panel flush" aria-labelledby="deliveries">
    <div class="panel-head">
      <h2 id="deliveries">Deliveries</h2>
      ${filterLinks('Filter deliveries', table.filters)}
    </div>
    <div class="live"${attributes(live(here, '5s'))}>
      ${
        table.rows.length === 0
          ? html`
            <div class="empty">
              ${
                table.isFiltered
                  ? html`<p><strong>No matching deliveries.</strong></p>`
                  : html`
                    <p><strong>No deliveries yet.</strong></p>
                    <p>${empty}</p>
                  `
              }
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Deliveries">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Event</th>
                    <th scope="col">Status</th>
                    <th scope="col">Last response</th>
                    <th scope="col" class="number">Attempts</th>
                    <th scope="col">Created at</th>
                  </tr>
                </thead>
                <tbody>
                  ${table.rows.map(
                    (row) => html`
                      <tr>
                        <th scope="row" class="target">
                          <a href="${ui.to(`/integrations/deliveries/${row.id}`)}">${nameEvent(row)}</a>
                          <small>${table.showTarget ? row.target_url : describeContact(row)}</small>
                        </th>
                        <td>
                          ${badge(deliveryBadge(row.status, row.attempts, row.ended_reason))} ${
                            row.next_attempt_at !== null &&
                            row.attempts > 0 &&
                            html`
                              <small>
                                next attempt ${time(ui, row.next_attempt_at, 'ago')}
                              </small>
                            `
                          }
                        </td>
                        <td>${formatLastResponse(row) ?? html`<span class="soft">No attempts yet</span>`}</td>
                        <td class="number">${ui.count(row.attempts)}</td>
                        <td class="nowrap">${time(ui, row.created_at)}</td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
            ${pager({ previous: table.previous, next: table.next })}
          `
      }
    </div>
  </section>
`

const nameEvent = ({ call_id: callId }: DeliverySummary): string =>
  callId === null ? 'Test event' : `Call ${callId}`

function describeContact({ call_id: callId, contact }: DeliverySummary): string {
  if (callId === null) return 'Sample data'
  return contact || 'Erased contact'
}

/** Returns "HTTP 204 · 35 ms", or the error. Null before the first attempt. */
function formatLastResponse({ status_code, error, duration_ms }: DeliverySummary): string | null {
  if (duration_ms === null) return null
  const outcome = error ?? (status_code === null ? 'No response' : `HTTP ${status_code}`)
  const text = outcome.charAt(0).toUpperCase() + outcome.slice(1).replace(/\.$/, '')
  return `${text} · ${formatMilliseconds(duration_ms)}`
}
