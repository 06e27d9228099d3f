import { CampaignStatus } from '@outdial/contract'
import { campaignBadge } from '../../platform/views/badges.ts'
import { badge, live, pager } from '../../platform/views/elements.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { defineView } from '../page/define-page.ts'
import { filterSelect } from '../page/filter-select.ts'
import { searchForm } from '../page/search-form.ts'
import { campaignProgressBar, toShownProgress } from './campaign-progress-bar.ts'
import type { CampaignProgress, CampaignWithDetails } from './campaign-queries.ts'

interface ListData {
  rows: readonly CampaignWithDetails[]
  /** The progress of each campaign, by its ID. */
  progressById: ReadonlyMap<number, CampaignProgress>
  status: CampaignStatus | ''
  search: string
  isFiltered: boolean
  previous: string | null
  next: string | null
}

export const campaignListView = defineView(
  ({ ui, here }, { search, status, rows, progressById, isFiltered, previous, next }: ListData) => html`
    <div class="page-head">
      <div>
        <h1>Campaigns</h1>
        <p class="lead">A campaign sets which agent makes the calls, from which number, and when. Add contacts in the dashboard or with a Zap.</p>
      </div>
      <a class="button primary" href="${ui.to('/campaigns/new')}">New campaign</a>
    </div>
    ${searchForm(
      ui,
      {
        path: '/campaigns',
        target: '#live',
        search: { value: search, placeholder: labels.campaign.name },
        button: 'Show',
      },
      filterSelect({
        name: 'status',
        label: labels.campaign.status,
        any: 'Any',
        chosen: status,
        options: statusOptions,
      }),
    )}
    <div class="panel flush live"${attributes({ ...live(here, '3s'), 'hx-sync': 'this:drop' })}>
      ${
        rows.length === 0
          ? html`
            <div class="empty">
              ${
                isFiltered
                  ? html`
                    <p><strong>No matching campaigns.</strong></p>
                    <a class="button quiet small" href="${ui.to('/campaigns')}">Show all campaigns</a>
                  `
                  : html`
                    <p><strong>No campaigns yet.</strong></p>
                    <p>A campaign sets which agent makes the calls, from which number, and when to try again.</p>
                    <a class="button quiet" href="${ui.to('/campaigns/new')}">Create campaign</a>
                  `
              }
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Campaigns">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Campaign</th>
                    <th scope="col">${labels.campaign.status}</th>
                    <th scope="col" class="number">Waiting</th>
                    <th scope="col" class="number">In progress</th>
                    <th scope="col" class="number">Completed</th>
                    <th scope="col">Outcomes</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.map((row) => {
                    const progress = toShownProgress(progressById.get(row.id))
                    return html`
                      <tr>
                        <th scope="row" class="target">
                          <a href="${ui.to(`/campaigns/${row.id}`)}">${row.name}</a><small>${row.agent_name} · ${row.number_label}</small>
                        </th>
                        <td>
                          ${badge(campaignBadge(row.status))}
                          ${row.status === 'paused' && row.paused_reason !== null && html`<small>${row.paused_reason}</small>`}
                        </td>
                        <td class="number">${ui.count(progress.queuedCount)}</td>
                        <td class="number">${ui.count(progress.live)}</td>
                        <td class="number">${ui.count(progress.completed)}</td>
                        <td class="bar-cell">${campaignProgressBar(progress)}</td>
                      </tr>
                    `
                  })}
                </tbody>
              </table>
            </div>
            ${pager({ previous, next })}
          `
      }
    </div>
  `,
)

const statusOptions = CampaignStatus.options.map((value) => ({
  value,
  label: campaignBadge(value).text,
}))
