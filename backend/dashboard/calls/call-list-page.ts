import { CallOutcome, CallStatus } from '@outdial/contract'
import { findChoices } from '../../calls/choices-store.ts'
import { type CallSlice, countNewerCalls, findListedCalls } from './call-list-queries.ts'
import type { Deps } from '../../deps.ts'
import { show } from '../page/page-route.ts'
import { callSign, outcomeSign } from '../page/badges.ts'
import { template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { createMoments } from './in-words.ts'
import { CallsQuery, filterOf, filterParams } from './call-filter.ts'
import { type Row, toRow } from './row.ts'

interface Option {
  value: string
  label: string
}

interface ListData {
  rows: Row[]
  query: Record<string, string>
  isFiltered: boolean
  /** Whether one of the filters is set that are shown on demand. */
  hasMore: boolean
  /** Of what is typed in the fields. */
  choices: { status: Option[]; outcome: Option[]; campaign: Option[]; agent: Option[] }
  /** Where the list asks for itself anew; null on the pages of older calls. */
  live: string | null
  /** Calls that came since, which are not pushed under the reader's eyes. */
  newer: string | null
  fresh: string
  exportPath: string
  previous: string | null
  next: string | null
}

const list = template<ListData>('dashboard/calls/call-list-page')

const pageSize = 50
const mostNewer = 100

export const listPage = (deps: Deps) =>
  show({
    path: '/calls',
    query: CallsQuery,
    show: async (visit) => list('Calls', await readList(deps, visit)),
  })

async function readList(deps: Deps, visit: Visit<CallsQuery>): Promise<ListData> {
  const { query, workspace } = visit
  const now = deps.clock.now()
  const filter = filterOf(query, workspace)
  const { calls, more, isFirst } = await readSlice(deps, visit, now)
  const params = filterParams(query)
  const at = (extra: Record<string, string>) => pathTo(visit, `/calls${questionOf({ ...params, ...extra })}`)
  const moments = createMoments(now, workspace.timeZone)
  const [first, last] = [calls[0], calls.at(-1)]
  const newest = query.newest ?? first?.id
  const newer =
    isFirst && query.newest !== undefined
      ? await countNewerCalls(deps.db, workspace.id, filter, query.newest, mostNewer)
      : 0
  const { campaigns, agents } = await findChoices(deps.db, workspace.id)
  return {
    rows: calls.map((call) => toRow(call, now, moments)),
    query: params,
    isFiltered: Object.keys(params).length > 0,
    hasMore: ['agent', 'kind', 'from', 'to'].some((name) => name in params),
    choices: {
      status: CallStatus.options.map((value) => ({
        value,
        label: callSign({ status: value, outcome: null }).text,
      })),
      outcome: CallOutcome.options.map((value) => ({ value, label: outcomeSign(value).text })),
      campaign: campaigns.map(toOption),
      agent: agents.map(toOption),
    },
    live: isFirst ? at(newest === undefined ? {} : { newest: String(newest) }) : null,
    newer: newer === 0 ? null : newerInWords(newer),
    fresh: at({}),
    exportPath: pathTo(visit, `/calls/export${questionOf(params)}`),
    previous: !isFirst && first !== undefined ? at({ after: String(first.id) }) : null,
    next: more && last !== undefined ? at({ before: String(last.id) }) : null,
  }
}

/** A page of the list. What is newer than a page that lies near the top would not fill one: then the first is shown. */
async function readSlice({ db }: Deps, { query, workspace }: Visit<CallsQuery>, now: Date) {
  const filter = filterOf(query, workspace)
  const read = (slice: Partial<CallSlice>) =>
    findListedCalls(db, workspace.id, filter, { ...slice, limit: pageSize + 1 }, now)
  if (query.after !== undefined) {
    const newer = await read({ after: query.after })
    if (newer.length > pageSize) {
      return { calls: newer.slice(0, pageSize).reverse(), more: true, isFirst: false }
    }
  }
  const { before, newest } = query
  const rows = await read(before !== undefined ? { before } : newest !== undefined ? { newest } : {})
  return {
    calls: rows.slice(0, pageSize),
    more: rows.length > pageSize,
    isFirst: before === undefined,
  }
}

const toOption = ({ id, name }: { id: number; name: string }): Option => ({ value: String(id), label: name })

const questionOf = (params: Record<string, string>): string => {
  const text = new URLSearchParams(params).toString()
  return text === '' ? '' : `?${text}`
}

const newerInWords = (count: number): string => {
  if (count === mostNewer) return `Show ${mostNewer} or more newer calls`
  return count === 1 ? 'Show 1 newer call' : `Show ${count} newer calls`
}
