import { boundedText, CallOutcome, CallStatus, trimmedText } from '@outdial/contract'
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'
import { Temporal } from 'temporal-polyfill'
import * as z from 'zod'
import { parsePhone } from '../../platform/core/phone.ts'
import { toRecord } from '../../platform/core/records.ts'
import { labels } from '../../platform/views/labels.ts'
import { OptionalId } from '../page/forms.ts'
import type { UserWorkspace } from '../page/page-context.ts'
import type { CallListFilter, CallSearch } from './call-list-queries.ts'

const filterLabels = {
  search: 'Search',
  status: labels.call.status,
  outcome: labels.call.outcome,
  campaign: labels.call.campaign_name,
  agent: labels.call.agent_name,
  contact: labels.call.contact,
  import: 'Import',
  kind: 'Type',
  from: 'Queued on or after',
  to: 'Queued on or before',
  ended: 'Ended on',
}

type FilterName = keyof typeof filterLabels
const filterNames = Object.keys(filterLabels) as FilterName[]

const CallsParams = z.object({
  search: trimmedText(200).catch(''),
  status: CallStatus.optional().catch(undefined),
  outcome: CallOutcome.optional().catch(undefined),
  campaign: OptionalId,
  agent: OptionalId,
  contact: OptionalId,
  import: OptionalId,
  kind: z.enum(['real', 'test']).optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  to: z.iso.date().optional().catch(undefined),
  ended: z.iso.date().optional().catch(undefined),
  before: OptionalId,
  after: OptionalId,
  newest: OptionalId,
})

/** The filters as they were sent, including invalid ones. */
const SentFilters = z.object(toRecord(filterNames, () => boundedText(200).catch('invalid').optional()))

/** Query of the call list. `ignored` has the filters whose values are invalid, as they were sent. */
export const CallsQuery = z
  .preprocess((sent) => ({ ...(sent as object), sent }), CallsParams.extend({ sent: SentFilters }))
  .transform(({ sent, ...query }) => {
    const isIgnored = (name: FilterName) => isFilled(sent[name]) && !isFilled(query[name])
    const ignored = filterNames.filter(isIgnored).map((name) => [name, sent[name] ?? ''] as const)
    return { ...query, ignored: Object.fromEntries(ignored) }
  })
export type CallsQuery = z.output<typeof CallsQuery>

const isFilled = (value: string | number | undefined): boolean =>
  value !== undefined && String(value).trim() !== ''

/** Returns the filter as query parameters, without the position in the list. */
export const filterParams = (query: CallsQuery): Record<string, string> =>
  Object.fromEntries(
    filterNames.flatMap((name) => (isFilled(query[name]) ? [[name, String(query[name])]] : [])),
  )

/** Names the filters that were ignored, or returns an empty list. */
export const describeIgnored = ({ ignored }: CallsQuery): string[] =>
  filterNames.filter((name) => name in ignored).map((name) => filterLabels[name])

/** Returns `?name=value`, or an empty string without parameters. */
export const toQueryString = (params: Record<string, string>): string => {
  const text = new URLSearchParams(params).toString()
  return text === '' ? '' : `?${text}`
}

/** Converts the query to a database filter. Days are in the workspace's time zone. */
export function toCallListFilter(query: CallsQuery, workspace: UserWorkspace): CallListFilter {
  const { status, outcome, campaign, agent, contact, import: importId, kind, from, to, ended, search } = query
  return {
    ...(status && { status }),
    ...(outcome && { outcomes: [outcome] }),
    ...(campaign && { campaignId: campaign }),
    ...(agent && { agentId: agent }),
    ...(contact && { contactId: contact }),
    ...(importId && { importId }),
    ...(kind && { test: kind === 'test' ? 'only' : 'exclude' }),
    ...(from && { from: startOfDay(from, workspace.timeZone, 0) }),
    ...(to && { to: startOfDay(to, workspace.timeZone, 1) }),
    ...(ended && {
      endedFrom: startOfDay(ended, workspace.timeZone, 0),
      endedTo: startOfDay(ended, workspace.timeZone, 1),
    }),
    ...(search && { search: parseCallSearch(search, workspace.country) }),
  }
}

const startOfDay = (day: string, timeZone: string, daysLater: number): Date =>
  new Date(Temporal.PlainDate.from(day).add({ days: daysLater }).toZonedDateTime(timeZone).epochMilliseconds)

const maxWords = 5

/**
 * Parses a call ID with or without #, the start of a phone number in any format, the starts of names, the ID of a
 * request or an event, or the external ID of a contact. Any text can be an external ID.
 */
function parseCallSearch(text: string, country: string): CallSearch {
  const callId = /^#?([1-9]\d{0,14})$/.exec(text)?.[1]
  const numbers = numberPrefixes(text, country)
  const ids = { externalId: text, ...(isToken(text) && { requestId: text, eventId: text }) }
  if (callId !== undefined || numbers.length > 0) {
    return { ...(callId && { callId: Number(callId) }), numbers, ...ids }
  }
  return { names: text.toLocaleLowerCase('en-US').split(/\s+/).slice(0, maxWords), ...ids }
}

/** Returns true for text that can be the ID of a request or an event. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9._-]{1,128}$/.test(text)

function numberPrefixes(text: string, country: string): string[] {
  const parsed = parsePhone(text, country)
  if (parsed.ok) return [parsed.phoneNumber]
  if (text.startsWith('#') || !/^[+\d\s()./-]+$/.test(text)) return []
  const digits = text.replace(/\D/g, '')
  if (digits.length < 3) return []
  if (text.startsWith('+')) return [`+${digits}`]
  if (digits.startsWith('00')) return [`+${digits.slice(2)}`]
  if (!isSupportedCountry(country)) return [`+${digits}`]
  // National formats often start with a 0 that E.164 omits.
  return [`+${digits}`, `+${getCountryCallingCode(country)}${digits.replace(/^0/, '')}`]
}
