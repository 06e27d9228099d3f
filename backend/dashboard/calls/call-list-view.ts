import { callBadge } from '../../platform/views/badges.ts'
import { badge, live, pager, time } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { attributes, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { defineView } from '../page/define-page.ts'
import { type FilterSelect, filterSelect } from '../page/filter-select.ts'
import { type ImportFilter } from '../page/import-filter.ts'
import { searchForm } from '../page/search-form.ts'
import type { ListedCall } from './call-list-queries.ts'

export interface ListData {
  calls: readonly ListedCall[]
  /** Why queued calls wait, and their next attempts, by the call's ID. */
  waitNotes: ReadonlyMap<number, string>
  query: Record<string, string>
  isFiltered: boolean
  importFilter: ImportFilter | null
  /** The path of the API log with the request that was searched for. Null if the request has a call or isn't in the log. */
  requestPath: string | null
  /** The labels of the filters with an invalid value; empty if there are none. */
  ignored: string
  /** True if one of `moreFilters` is set. */
  hasMoreFilters: boolean
  filters: FilterSelect[]
  /** Filters that are hidden until the user opens them. */
  moreFilters: FilterSelect[]
  /** The URL that the list refreshes itself from. Null on pages of older calls. */
  refreshPath: string | null
  /** Label for calls queued since the page was loaded. They aren't inserted, because that would move the rows. */
  newerLabel: string | null
  latestPath: string
  exportPath: string
  /** The query of links to calls, whose pages lead back to this list. */
  callQuery: string
  previous: string | null
  next: string | null
}

export const callListView = defineView(
  (
    { ui },
    {
      query,
      filters,
      hasMoreFilters,
      moreFilters,
      refreshPath,
      importFilter,
      ignored,
      newerLabel,
      latestPath,
      calls,
      waitNotes,
      requestPath,
      isFiltered,
      callQuery,
      previous,
      next,
      exportPath,
    }: ListData,
  ) => html`
    <div class="page-head">
      <div>
        <h1>Calls</h1>
        <p class="lead">All calls, newest first. Open a call to see what happened and why.</p>
      </div>
    </div>
    ${searchForm(
      ui,
      {
        path: '/calls',
        target: '#live',
        search: {
          value: query.search ?? '',
          placeholder: 'Name, phone number, or ID',
          autocomplete: 'off',
          look: 'field wide',
        },
        button: 'Search',
        label: 'Calls',
      },
      html`
        ${filters.map(filterSelect)}
        <details class="more-filters"${attributes({ open: hasMoreFilters })}>
          <summary>More filters</summary>
          <div class="filters">
            ${moreFilters.map(filterSelect)}
            <div class="field"><label for="from">Queued on or after</label><input id="from" name="from" type="date" value="${query.from ?? ''}"></div>
            <div class="field"><label for="to">Queued on or before</label><input id="to" name="to" type="date" value="${query.to ?? ''}"></div>
            <div class="field"><label for="ended">Ended on</label><input id="ended" name="ended" type="date" value="${query.ended ?? ''}"></div>
          </div>
        </details>
        ${query.contact ? html`<input type="hidden" name="contact" value="${query.contact}">` : null}
        ${query.import ? html`<input type="hidden" name="import" value="${query.import}">` : null}
      `,
    )}
    <div
      class="panel flush live"${attributes({ ...live(refreshPath, '3s'), 'hx-sync': refreshPath !== null && 'this:drop' })}
    >
      ${
        importFilter
          ? html`
            <div class="row list-filter">
              <span>From import: <strong>${importFilter.name}</strong></span>
              <a class="button quiet small" href="${importFilter.removePath}">Remove filter</a>
            </div>
          `
          : null
      }
      ${
        ignored
          ? html`
            <p class="notice" data-tone="warn">Ignored, because the URL has a value that isn't valid: ${ignored}.</p>
          `
          : null
      }
      ${
        newerLabel
          ? html`
            <p class="newer" role="status"><a class="button quiet small" href="${latestPath}">${newerLabel}</a></p>
          `
          : null
      }
      ${
        calls.length === 0
          ? html`
            <div class="empty">
              ${
                requestPath
                  ? html`
                    <p><strong>No matching calls.</strong></p>
                    <p>The API log has a request with this ID. It shows what the request did, or why it was rejected.</p>
                    <a class="button quiet small" href="${requestPath}">Show request</a>
                  `
                  : isFiltered
                    ? html`
                      <p><strong>No matching calls.</strong></p>
                      <p>
                        Try the start of a first or last name, the start of a phone number, or the ID of a call, a request, or an event. The
                        contact's external ID works, too.
                      </p>
                      <a class="button quiet small" href="${ui.to('/calls')}">Show all calls</a>
                    `
                    : html`
                      <p><strong>No calls yet.</strong></p>
                      <p>Add a contact and choose a campaign to queue a call, or connect Zapier to queue calls automatically.</p>
                      <div class="row">
                        <a class="button primary small" href="${ui.to('/contacts/new')}">Add contact</a>
                        <a class="button quiet small" href="${ui.to('/integrations')}">Connect Zapier</a>
                      </div>
                    `
              }
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="List of calls">
              <table>
                <thead>
                  <tr>
                    <th scope="col">${labels.call.contact}</th>
                    <th scope="col" class="wide-only">${labels.call.campaign_name}</th>
                    <th scope="col">${labels.call.status}</th>
                    <th scope="col" class="number wide-only">${labels.call.attempts}</th>
                    <th scope="col">${labels.call.queued_at}</th>
                    <th scope="col" class="number wide-only">${labels.call.duration_seconds}</th>
                  </tr>
                </thead>
                <tbody>
                  ${calls.map((call) => {
                    const name = formatContactName(call, call.to_number)
                    const note = waitNotes.get(call.id)
                    return html`
                      <tr id="call-${call.id}">
                        <th scope="row">
                          <a href="${ui.to(`/calls/${call.id}${callQuery}`)}">${name}</a>
                          <small class="nowrap">
                            ${
                              call.to_number !== '' &&
                              call.to_number !== name &&
                              html`${call.to_number}<span class="wide-only"> · </span>`
                            }<span class="wide-only">#${call.id}</span>
                          </small>
                        </th>
                        <td class="target wide-only">${call.campaign_name}<small>${call.agent_name}</small></td>
                        <td>
                          <span class="row tight">
                            ${badge(callBadge(call))}
                            ${call.test && badge({ tone: 'mute', text: 'Test' })}
                          </span>${note ? html`<small>${note}</small>` : null}
                        </td>
                        <td class="number wide-only">${call.attempts}</td>
                        <td class="nowrap">${time(ui, call.queued_at)}</td>
                        <td class="number nowrap wide-only">
                          ${call.duration_seconds === null ? html`<span class="soft">–</span>` : ui.duration(call.duration_seconds)}
                        </td>
                      </tr>
                    `
                  })}
                </tbody>
              </table>
            </div>
            <div class="table-foot">
              ${pager({ previous, next })}
              <a class="small-text" href="${exportPath}" download>Download CSV</a>
            </div>
          `
      }
    </div>
  `,
)
