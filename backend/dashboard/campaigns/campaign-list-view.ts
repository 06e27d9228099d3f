import { CampaignStatus } from '@outdial/contract'
import { campaignBadge } from '../../views/badges.ts'
import { badge, pager } from '../../views/elements.ts'
import { html } from '../../views/html.ts'
import { labels } from '../../views/labels.ts'
import { defineView } from '../page/define-page.ts'
import { filterSelect } from '../page/filter-select.ts'
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
    <form
      class="filters"
      method="get"
      action="${ui.to('/campaigns')}"
      role="search"
      hx-get="${ui.to('/campaigns')}"
      hx-trigger="input changed delay:300ms, change"
      hx-target="#live"
      hx-select="#live"
      hx-swap="outerMorph"
      hx-sync="#live:replace"
      hx-replace-url="true"
    >
      <div class="field">
        <label for="search">Search</label>
        <input id="search" name="search" type="search" maxlength="200" value="${search}" placeholder="${labels.campaign.name}">
      </div>
      ${filterSelect({
        name: 'status',
        label: labels.campaign.status,
        any: 'Any',
        chosen: status,
        options: statusOptions,
      })}
      <noscript><button class="quiet">Show</button></noscript>
    </form>
    <div
      id="live"
      class="panel flush live"
      data-live
      hx-get="${here}"
      hx-trigger="every 3s"
      hx-sync="this:drop"
      hx-select="#live"
      hx-swap="outerMorph"
    >
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
