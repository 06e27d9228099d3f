import { CallOutcome, CallStatus } from '@outdial/contract'
import { Readable } from 'node:stream'
import { exportCalls } from '../../calls/export-csv.ts'
import {
  type CallSlice,
  countNewerCalls,
  findListedCalls,
  type ListedCall,
} from '../../calls/search-store.ts'
import type { Deps } from '../../deps.ts'
import { findChoices } from '../../calls/choices-store.ts'
import { file, show } from '../lines.ts'
import { callSign, outcomeSign, type Sign, waitsFor } from '../tones.ts'
import { template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { contactName, createMoments, type Moments } from './in-words.ts'
import { type CallsQuery, CallsQuery as Query, filterOf, filterParams } from './query.ts'

interface Row {
  id: number
  contact: string
  number: string
  campaign: string
  agent: string
  sign: Sign
  test: boolean
  note: string
  attempts: number
  at: Date
  seconds: number | null
}

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

const list = template<ListData>('dashboard/calls/list')

const pageSize = 50
const mostNewer = 100

export const listPage = (deps: Deps) =>
  show({
    path: '/calls',
    query: Query,
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

const toRow = (call: ListedCall, now: Date, moments: Moments): Row => ({
  id: call.id,
  contact: contactName(call, call.to_number),
  number: call.to_number,
  campaign: call.campaign_name,
  agent: call.agent_name,
  sign: callSign(call),
  test: call.test,
  note: noteOf(call, now, moments),
  attempts: call.attempts,
  at: call.queued_at,
  seconds: call.duration_seconds,
})

function noteOf(call: ListedCall, now: Date, moments: Moments): string {
  if (call.status !== 'queued') return ''
  const next = call.next_attempt_at
  const until = next !== null && next > now ? ` until ${moments.short(next)}` : ''
  return `for ${waitsFor(call.waiting_for)}${until}`
}

export const exportFile = (deps: Deps) =>
  file({
    path: '/calls/export',
    query: Query,
    send: async ({ query, workspace }) => ({
      name: 'calls.csv',
      type: 'text/csv; charset=utf-8',
      body: Readable.from(exportCalls(deps, workspace.id, filterOf(query, workspace))),
    }),
  })
