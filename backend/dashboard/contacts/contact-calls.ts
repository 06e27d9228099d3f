import type { Badge } from '../../views/badges.ts'
import { badge, time } from '../../views/elements.ts'
import { type Html, html } from '../../views/html.ts'
import { labels } from '../../views/labels.ts'
import type { Ui } from '../page/page-model.ts'

export interface ShownCall {
  id: number
  badge: Badge
  campaign: string
  test: boolean
  attempts: number
  at: Date
  /** Why it waits, and the next attempt; empty if it isn't waiting. */
  wait: string
  seconds: number | null
  summary: string
}

/** Lists a contact's calls. */
export const contactCalls = ({ ui, calls }: { ui: Ui; calls: readonly ShownCall[] }): Html => html`
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
                <a href="${ui.to(`/calls/${call.id}`)}">${badge(call.badge)} <span class="visually-hidden">call ${call.id}</span></a>
                ${call.test && badge({ tone: 'mute', text: 'Test' })}
              </th>
              <td class="target">${call.campaign}</td>
              <td>
                ${call.summary ? call.summary : call.wait ? html`<span class="soft">${call.wait}</span>` : html`<span class="soft">–</span>`}
              </td>
              <td class="number">${call.seconds === null ? html`<span class="soft">–</span>` : ui.duration(call.seconds)}</td>
              <td class="nowrap">${time(ui, call.at)}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`
