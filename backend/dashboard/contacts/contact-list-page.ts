import * as z from 'zod'
import { readSearch } from '../../contacts/read-search.ts'
import { type ContactPosition, hasContacts, searchContacts } from '../../contacts/search-store.ts'
import type { Deps } from '../../deps.ts'
import { toPage } from '../../core/pagination.ts'
import { show } from '../page/page-route.ts'
import { callSign, type Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { contactName } from '../contact-name.ts'
import { OptionalId } from '../fields.ts'

interface Row {
  id: number
  name: string
  phoneNumber: string
  email: string
  externalId: string
  isRefused: boolean
  createdAt: Date
  lastCall: { id: number; sign: Sign; at: Date } | null
}

interface ListData {
  rows: Row[]
  search: string
  list: 'refused' | 'callable' | ''
  hasAny: boolean
  previous: string | null
  next: string | null
}

const list = template<ListData>('dashboard/contacts/contact-list-page')

const Filter = z.object({
  search: z.string().trim().max(200).optional().catch(undefined),
  list: z.enum(['refused', 'callable']).optional().catch(undefined),
  before: OptionalId,
  after: z.coerce.number().int().min(0).optional().catch(undefined),
})
type Filter = z.infer<typeof Filter>

const pageSize = 50

export const listPage = (deps: Deps) =>
  show({
    path: '/contacts',
    query: Filter,
    show: async (visit) => {
      const { workspace, query } = visit
      const position = positionOf(query)
      const found = await searchContacts(
        deps.db,
        workspace.id,
        {
          ...readSearch(query.search ?? '', workspace.country),
          refused: query.list === undefined ? null : query.list === 'refused',
        },
        { position, limit: pageSize + 1 },
      )
      const isBack = position !== null && 'after' in position
      // Going back, the one too many is the first.
      const { items, more } = isBack
        ? { items: found.slice(-pageSize), more: found.length > pageSize }
        : toPage(found, pageSize)
      const rows = items.map(toRow)
      const address = (to: { before: number } | { after: number }) => addressOf(visit, to)
      const [first, last] = [rows[0], rows.at(-1)]
      const isFirst = isBack ? !more : position === null
      return list('Contacts', {
        rows,
        search: query.search ?? '',
        list: query.list ?? '',
        hasAny: rows.length > 0 || (await hasContacts(deps.db, workspace.id)),
        previous: first !== undefined && !isFirst ? address({ after: first.id }) : null,
        next: last !== undefined && (isBack || more) ? address({ before: last.id }) : null,
      })
    },
  })

function positionOf({ before, after }: Filter): ContactPosition {
  if (before !== undefined) return { before }
  return after === undefined ? null : { after }
}

function addressOf(visit: Visit<Filter>, to: { before: number } | { after: number }): string {
  const { search, list: which } = visit.query
  const query = new URLSearchParams({ ...(search && { search }), ...(which && { list: which }) })
  for (const [name, value] of Object.entries(to)) query.set(name, String(value))
  return pathTo(visit, `/contacts?${query.toString()}`)
}

const toRow = (contact: Awaited<ReturnType<typeof searchContacts>>[number]): Row => {
  const { call_id, status, outcome, queued_at } = contact
  return {
    id: contact.id,
    name: contactName(contact, contact.phone_number),
    phoneNumber: contact.phone_number,
    email: contact.email ?? '',
    externalId: contact.external_id ?? '',
    isRefused: contact.is_refused === true,
    createdAt: contact.created_at,
    lastCall:
      call_id === null || status === null || queued_at === null
        ? null
        : { id: call_id, sign: callSign({ status, outcome }), at: contact.ended_at ?? queued_at },
  }
}
