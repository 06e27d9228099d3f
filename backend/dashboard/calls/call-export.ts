import type { Deps } from '../../deps.ts'
import { formatCsvPages } from '../../platform/core/csv.ts'
import { defineDownload } from '../page/define-page.ts'
import { CallsQuery, toCallListFilter } from './call-filter.ts'
import { type CallListFilter, type ExportedCall, findCallsToExport } from './call-list-queries.ts'

/** The columns in order, and how to read their values. Times are ISO 8601 in UTC. */
const columns: [string, (call: ExportedCall) => string | number | boolean | Date | object | null][] = [
  ['id', (call) => call.id],
  ['status', (call) => call.status],
  ['outcome', (call) => call.outcome],
  ['ended_reason', (call) => call.ended_reason],
  ['test', (call) => call.test],
  ['campaign', (call) => call.campaign_name],
  ['agent', (call) => call.agent_name],
  ['first_name', (call) => call.first_name],
  ['last_name', (call) => call.last_name],
  ['email', (call) => call.email],
  ['external_id', (call) => call.external_id],
  ['to_number', (call) => call.to_number],
  ['from_number', (call) => call.from_number],
  ['attempts', (call) => call.attempts],
  ['queued_at', (call) => call.queued_at],
  ['next_attempt_at', (call) => call.next_attempt_at],
  ['answered_at', (call) => call.answered_at],
  ['ended_at', (call) => call.ended_at],
  ['duration_seconds', (call) => call.duration_seconds],
  ['sentiment', (call) => call.sentiment],
  ['opted_out', (call) => call.opted_out],
  ['goal_met', (call) => call.goal_met],
  ['summary', (call) => call.summary],
  ['extracted', (call) => call.extracted],
  ['metadata', (call) => call.metadata],
]

/** Streams calls as CSV, newest first. */
const exportCalls = ({ db }: Pick<Deps, 'db'>, workspaceId: number, filter: CallListFilter) =>
  formatCsvPages({
    header: columns.map(([name]) => name),
    fetchPage: (last: ExportedCall | undefined, limit) =>
      findCallsToExport(db, workspaceId, filter, { before: last?.id, limit }),
    toRecords: (call) => [columns.map(([, readColumn]) => formatCell(readColumn(call)))],
  })

function formatCell(value: string | number | boolean | Date | object | null): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** Exports every call that matches the list's filter, not only one page. */
export const exportCallsDownload = defineDownload({
  toleratesLag: true,
  query: CallsQuery,
  send: async (deps, { query, workspace }) => ({
    name: 'calls.csv',
    type: 'text/csv; charset=utf-8',
    body: exportCalls(deps, workspace.id, toCallListFilter(query, workspace)),
  }),
})
