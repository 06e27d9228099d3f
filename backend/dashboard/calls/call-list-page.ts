import { CallOutcome, CallStatus, filterTexts, formatOutcomeChoice } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { callBadge } from '../../platform/views/badges.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import { labels } from '../../platform/views/labels.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { definePage } from '../page/define-page.ts'
import type { FilterOption, FilterSelect } from '../page/filter-select.ts'
import { findImportFilter } from '../page/import-filter.ts'
import { type PageContext, pathTo } from '../page/page-context.ts'
import { formatWaitNote } from '../stories/describe-waiting.ts'
import { selectRequests } from '../stories/request-queries.ts'
import {
  CallsQuery,
  describeIgnored,
  filterParams,
  isToken,
  toCallListFilter,
  toQueryString,
} from './call-filter.ts'
import { type CallCursor, countNewerCalls, findFilterOptions, findListedCalls } from './call-list-queries.ts'
import { callListView, type ListData } from './call-list-view.ts'

const pageSize = 50

const maxNewer = 100

export const callListPage = definePage({
  toleratesLag: true,
  query: CallsQuery,
  show: async (deps, context) => callListView('Calls', await readList(deps, context)),
})

async function readList(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  context: PageContext<CallsQuery>,
): Promise<ListData> {
  const { query, workspace } = context
  const now = deps.clock.now()
  const filter = toCallListFilter(query, workspace)
  const { calls, hasMore, isFirst } = await readCallSlice(deps, context, now)
  const params = filterParams(query)
  const isFiltered = Object.keys(params).length > 0
  const pathWith = (extra: Record<string, string>) =>
    pathTo(context, `/calls${toQueryString({ ...params, ...extra })}`)
  const timeFormats = createTimeFormats(now, workspace.timeZone)
  const [first, last] = [calls[0], calls.at(-1)]
  const newest = query.newest ?? first?.id
  const newer =
    isFirst && query.newest !== undefined
      ? await countNewerCalls(deps.db, workspace.id, filter, query.newest, maxNewer)
      : 0
  const toSelect = (
    name: string,
    label: string,
    any: string,
    options: readonly FilterOption[],
  ): FilterSelect => ({
    ...{ name, label, any, options },
    chosen: params[name],
  })
  const queued = calls.filter(({ status }) => status === 'queued')
  const waits = await findWaits(
    deps,
    workspace.id,
    queued.map(({ id }) => id),
    now,
  )
  const { campaigns, agents } = await findFilterOptions(deps.db, workspace.id)
  return {
    calls,
    waitNotes: new Map([...waits].map(([id, wait]) => [id, formatWaitNote(wait, now, timeFormats)])),
    query: params,
    isFiltered,
    importFilter: await findImportFilter(deps, context, { path: '/calls', params }),
    requestPath: calls.length === 0 ? await findRequestPath(deps, context) : null,
    ignored: describeIgnored(query).join(', '),
    hasMoreFilters: ['agent', 'kind', 'from', 'to', 'ended'].some((name) => name in params),
    filters: [
      toSelect('status', labels.call.status, 'Any', statusOptions),
      toSelect('outcome', labels.call.outcome, 'Any', outcomeOptions),
      toSelect('campaign', labels.call.campaign_name, 'All', campaigns.map(toOption)),
    ],
    moreFilters: [
      toSelect('agent', labels.call.agent_name, 'All', agents.map(toOption)),
      toSelect('kind', 'Type', 'All', kindOptions),
    ],
    refreshPath: isFirst
      ? pathWith({ ...query.ignored, ...(newest !== undefined && { newest: String(newest) }) })
      : null,
    newerLabel: newer === 0 ? null : formatNewerCalls(newer),
    latestPath: pathWith({}),
    callQuery: toQueryString(isFiltered ? { list: new URLSearchParams(params).toString() } : {}),
    exportPath: pathTo(context, `/calls/export${toQueryString(params)}`),
    previous: !isFirst && first !== undefined ? pathWith({ after: String(first.id) }) : null,
    next: hasMore && last !== undefined ? pathWith({ before: String(last.id) }) : null,
  }
}

/** Returns the path of the API log with the request that was searched for. A rejected request is only there, not in a call. */
async function findRequestPath({ db }: Pick<Deps, 'db'>, context: PageContext<CallsQuery>) {
  const { search } = context.query
  if (!isToken(search)) return null
  const requests = await selectRequests(db, context.workspace.id, { requestId: search, limit: 1 })
  return requests.length === 0
    ? null
    : pathTo(context, `/settings/api-log${toQueryString({ request: search })}`)
}

/** Reads a page of the list. If `after` leaves less than a full page of newer calls, reads the first page instead. */
async function readCallSlice(
  { db }: Pick<Deps, 'db'>,
  { query, workspace }: PageContext<CallsQuery>,
  now: Date,
) {
  const filter = toCallListFilter(query, workspace)
  const read = (slice: Partial<CallCursor>) =>
    findListedCalls(db, workspace.id, filter, { ...slice, limit: pageSize + 1 }, now)
  if (query.after !== undefined) {
    const newer = await read({ after: query.after })
    if (newer.length > pageSize) {
      return { calls: newer.slice(0, pageSize).reverse(), hasMore: true, isFirst: false }
    }
  }
  const { before, newest } = query
  const rows = await read(before !== undefined ? { before } : newest !== undefined ? { newest } : {})
  return {
    calls: rows.slice(0, pageSize),
    hasMore: rows.length > pageSize,
    isFirst: before === undefined,
  }
}

const statusOptions = CallStatus.options.map((value) => ({
  value,
  label: callBadge({ status: value, outcome: null }).text,
}))

const outcomeOptions = CallOutcome.options.map((value) => ({ value, label: formatOutcomeChoice(value) }))

const kindOptions = [
  { value: 'real', label: 'Real calls' },
  { value: 'test', label: filterTexts.test.label },
]

const toOption = ({ id, name }: { id: number; name: string }): FilterOption => ({
  value: String(id),
  label: name,
})

const formatNewerCalls = (count: number): string => {
  if (count === maxNewer) return `Show newer calls (${maxNewer}+)`
  return count === 1 ? 'Show 1 newer call' : `Show ${count} newer calls`
}
