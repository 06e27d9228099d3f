import { badge, live, pager, time } from '../../views/elements.ts'
import { attributes, type Html, html } from '../../views/html.ts'
import { filterLinks } from '../page/filter-links.ts'
import type { Ui } from '../page/page-model.ts'
import type { DeliveryTable } from './delivery-pages.ts'

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
                          <a href="${ui.to(`/integrations/deliveries/${row.id}`)}">${row.event}</a><small>${row.about}</small>
                        </th>
                        <td>
                          ${badge(row.badge)} ${
                            row.nextAttemptAt &&
                            row.attempts > 0 &&
                            html`
                              <small>
                                next attempt ${time(ui, row.nextAttemptAt, 'ago')}
                              </small>
                            `
                          }
                        </td>
                        <td>${row.response === '' ? html`<span class="soft">No attempts yet</span>` : row.response}</td>
                        <td class="number">${ui.count(row.attempts)}</td>
                        <td class="nowrap">${time(ui, row.createdAt)}</td>
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
