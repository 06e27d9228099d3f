import { trimmedText } from '@outdial/contract'
import * as z from 'zod'
import {
  describeRequest,
  formatCredential,
  formatIssues,
  formatRequestLine,
} from '../../support/describe-request.ts'
import { findRequest, type RequestRow, selectRequests, statusClasses } from '../../support/request-queries.ts'
import type { Badge } from '../../views/badges.ts'
import { formatMilliseconds } from '../../views/format.ts'
import { definePage, noInput, template } from '../page/define-page.ts'
import { OptionalId } from '../page/forms.ts'
import { toKeysetPage } from '../page/keyset.ts'
import { IdParams, type PageContext, pathTo } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'

/** A request as the log shows it. */
interface ShownRequest {
  id: number
  line: string
  requestId: string
  at: Date
  badge: Badge
  /** What the request did. */
  description: string
  credential: string
  duration: string
}

interface LogData {
  rows: ShownRequest[]
  requestId: string
  status: string | undefined
  filters: { label: string; address: string; isHere: boolean }[]
  isFiltered: boolean
  previous: string | null
  next: string | null
}

interface RequestData {
  request: ShownRequest
  errorCode: string | null
  /** Fields with an issue and its code. */
  issues: string
  client: string | null
  /** Pages of what the request created or is about. */
  links: { label: string; path: string }[]
}

const logView = template<LogData>('dashboard/settings/api-log-page')
const requestView = template<RequestData>('dashboard/settings/api-request-page')

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
    const address = (position: object | null) =>
      position === null ? null : toAddress(context, { status, request: requestId, ...position })
    return logView('API log', {
      rows: page.rows.map(toShownRequest),
      requestId: request,
      status,
      filters: filters.map((filter) => ({
        label: filter.label,
        address: toAddress(context, { status: filter.status, request: requestId }),
        isHere: filter.status === status,
      })),
      isFiltered: [status, requestId, before, after].some((value) => value !== undefined),
      previous: address(page.previous),
      next: address(page.next),
    })
  },
})

function toAddress(context: PageContext, query: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  return pathTo(context, params.size === 0 ? '/settings/api-log' : `/settings/api-log?${params.toString()}`)
}

export const apiRequestPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params }) => {
    const row = await findRequest(deps.db, workspace.id, params.id)
    if (row === undefined) throw pageNotFound()
    return requestView('Request', {
      request: toShownRequest(row),
      errorCode: row.error_code,
      issues: formatIssues(row),
      client: row.client_version,
      links: toLinks(row),
    })
  },
})

const toShownRequest = (row: RequestRow): ShownRequest => ({
  id: row.id,
  line: formatRequestLine(row),
  requestId: row.request_id,
  at: row.at,
  badge: { tone: row.status >= 500 ? 'bad' : row.status >= 400 ? 'warn' : 'good', text: String(row.status) },
  description: describeRequest(row),
  credential: formatCredential(row),
  duration: formatMilliseconds(row.duration_ms),
})

function toLinks(row: RequestRow): RequestData['links'] {
  const link = (name: string, folder: string, id: number | null) =>
    id === null ? [] : [{ label: `${name} ${id}`, path: `${folder}/${id}` }]
  return [
    ...link('Call', '/calls', row.call_id),
    ...link('Contact', '/contacts', row.contact_id),
    ...link('Campaign', '/campaigns', row.campaign_id),
    ...link('Webhook subscription', '/integrations/webhooks', row.subscription_id),
  ]
}
