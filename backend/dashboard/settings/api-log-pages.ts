import { trimmedText } from '@outdial/contract'
import * as z from 'zod'
import type { Badge } from '../../platform/views/badges.ts'
import { badge, pager, time } from '../../platform/views/elements.ts'
import { formatMilliseconds } from '../../platform/views/format.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { definePage, defineView, noInput } from '../page/define-page.ts'
import { type FilterLink, filterLinks, toListAddress } from '../page/filter-links.ts'
import { OptionalId } from '../page/forms.ts'
import { toKeysetPage } from '../page/keyset.ts'
import { IdParams } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import {
  describeRequest,
  formatCredential,
  formatIssues,
  formatRequestLine,
} from '../stories/describe-request.ts'
import { findRequest, type RequestRow, selectRequests, statusClasses } from '../stories/request-queries.ts'
import { settingsTabs } from './settings-tabs.ts'

interface LogData {
  rows: readonly RequestRow[]
  requestId: string
  status: string | undefined
  filters: FilterLink[]
  isFiltered: boolean
  previous: string | null
  next: string | null
}

const logView = defineView(
  ({ ui }, { requestId, status, filters, rows, isFiltered, previous, next }: LogData) => html`
    <div class="page-head">
      <h1>Settings</h1>
    </div>
    ${settingsTabs({ ui, here: '/settings/api-log' })}
    <div class="page-head">
      <div>
        <h2>API log</h2>
        <p class="lead">Requests to the API from the last 14 days, newest first. Their bodies and secrets aren't stored.</p>
        <p class="soft small-text">
          New requests appear after a few seconds. If Outdial crashes, the requests of its last few seconds can be missing. Requests
          without a valid API key or access token aren't listed.
        </p>
      </div>
    </div>
    <form class="filters" method="get" action="${ui.to('/settings/api-log')}" role="search" aria-label="API log">
      <div class="field wide">
        <label for="request">Request ID</label>
        <input id="request" name="request" type="search" maxlength="128" value="${requestId}" autocomplete="off">
      </div>
      ${status ? html`<input type="hidden" name="status" value="${status}">` : null}
      <button class="quiet">Search</button>
    </form>
    <section class="panel flush" aria-labelledby="requests">
      <div class="panel-head">
        <h2 id="requests">Requests</h2>
        ${filterLinks('Filter requests', filters)}
      </div>
      ${
        rows.length === 0
          ? html`
            <div class="empty">
              ${
                isFiltered
                  ? html`<p><strong>No matching requests.</strong></p>`
                  : html`
                    <p><strong>No requests yet.</strong></p>
                    <p>Requests appear here when a Zap or your own code uses the API.</p>
                    <a class="button quiet" href="${ui.to('/integrations')}">Connect Zapier</a>
                  `
              }
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Requests">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Request</th>
                    <th scope="col">Response</th>
                    <th scope="col">What happened</th>
                    <th scope="col">Received</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (row) => html`
                      <tr>
                        <th scope="row">
                          <a href="${ui.to(`/settings/api-log/${row.id}`)}">${formatRequestLine(row)}</a>
                          <small>${formatCredential(row)}</small>
                        </th>
                        <td>${badge(requestBadge(row))}</td>
                        <td>${describeRequest(row)}<small><code>${row.request_id}</code></small></td>
                        <td class="nowrap">${time(ui, row.at)}</td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
            ${pager({ previous, next })}
          `
      }
    </section>
  `,
)

const requestView = defineView(({ ui }, { request }: { request: RequestRow }) => {
  const issues = formatIssues(request)
  return html`
    <a class="crumb" href="${ui.to('/settings/api-log')}">${icon('back')} API log</a>
    <div class="page-head">
      <div>
        <h1>${formatRequestLine(request)}</h1>
        <p class="row">${badge(requestBadge(request))}</p>
      </div>
    </div>
    <p class="notice" data-tone="${requestBadge(request).tone}">${describeRequest(request)}</p>
    <section class="panel" aria-labelledby="request">
      <h2 id="request">Request</h2>
      <dl class="facts">
        <dt>Request ID</dt><dd><code>${request.request_id}</code></dd>
        <dt>Received</dt><dd>${ui.fullTime(request.at)}</dd>
        <dt>Response time</dt><dd>${formatMilliseconds(request.duration_ms)}</dd>
        <dt>Credential</dt><dd>${formatCredential(request)}</dd>
        ${request.client_version ? html`<dt>Client</dt><dd><code>${request.client_version}</code></dd>` : null}
        ${request.error_code ? html`<dt>Error code</dt><dd><code>${request.error_code}</code></dd>` : null}
        ${issues ? html`<dt>Fields</dt><dd>${issues}</dd>` : null}
        ${toLinks(request).map((link) => html`<dt>About</dt><dd><a href="${ui.to(link.path)}">${link.label}</a></dd>`)}
      </dl>
    </section>
  `
})

/** Query of the log. Invalid values are ignored. */
const Query = z.object({
  status: z.enum(statusClasses).optional().catch(undefined),
  request: trimmedText(128).catch(''),
  before: OptionalId,
  after: OptionalId,
})

const filters = [
  { status: undefined, label: 'All' },
  { status: 'success', label: 'Successful' },
  { status: 'error', label: 'All errors' },
  { status: 'client', label: 'Rejected (4xx)' },
  { status: 'server', label: 'Failed (5xx)' },
] as const

const pageSize = 50

export const apiLogPage = definePage({
  toleratesLag: true,
  query: Query,
  show: async (deps, context) => {
    const { query, workspace } = context
    const { status, request, before, after } = query
    const requestId = request || undefined
    const found = await selectRequests(deps.db, workspace.id, {
      ...{ status, requestId, before, after },
      limit: pageSize + 1,
    })
    const page = toKeysetPage(found, { before, after }, pageSize)
    const address = (params: Parameters<typeof toListAddress>[2]) =>
      toListAddress(context, '/settings/api-log', { status, request: requestId, ...params })
    return logView('API log', {
      rows: page.rows,
      requestId: request,
      status,
      filters: filters.map((filter) => ({
        label: filter.label,
        address: address({ status: filter.status }),
        isHere: filter.status === status,
      })),
      isFiltered: [status, requestId, before, after].some((value) => value !== undefined),
      previous: page.previous && address(page.previous),
      next: page.next && address(page.next),
    })
  },
})

export const apiRequestPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params }) => {
    const request = await findRequest(deps.db, workspace.id, params.id)
    if (request === undefined) throw pageNotFound()
    return requestView('Request', { request })
  },
})

function requestBadge({ status }: RequestRow): Badge {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  return { tone, text: String(status) }
}

/** Returns links to what the request created or is about. */
function toLinks(row: RequestRow): { label: string; path: string }[] {
  const link = (name: string, folder: string, id: number | null) =>
    id === null ? [] : [{ label: `${name} ${id}`, path: `${folder}/${id}` }]
  return [
    ...link('Call', '/calls', row.call_id),
    ...link('Contact', '/contacts', row.contact_id),
    ...link('Campaign', '/campaigns', row.campaign_id),
    ...link('Webhook subscription', '/integrations/webhooks', row.subscription_id),
  ]
}
