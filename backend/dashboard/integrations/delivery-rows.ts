import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { toPage } from '../../core/pagination.ts'
import { type DeliverySummary, selectDeliveries } from './webhook-queries.ts'
import { deliveryBadge, type Badge } from '../page/badges.ts'
import { pathTo, type PageContext } from '../visit.ts'
import { formatAttemptResponse } from './in-words.ts'

export interface DeliveryRow {
  id: number
  /** "Call 12", or that it was a test. */
  event: string
  about: string
  badge: Badge
  response: string
  attempts: number
  createdAt: Date
  nextAttemptAt: Date | null
}

export interface DeliveryTable {
  rows: DeliveryRow[]
  filters: { label: string; address: string; isHere: boolean }[]
  isFiltered: boolean
  previous: string | null
  next: string | null
}

const DeliveryStatus = z.enum(['pending', 'delivered', 'dead', 'gone'])
const Id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

/** What an address may say of a list of deliveries. */
export const DeliveryQuery = z.object({
  status: DeliveryStatus.optional().catch(undefined),
  before: Id.optional().catch(undefined),
  after: Id.optional().catch(undefined),
})

const statusFilters = [
  { status: undefined, label: 'All' },
  { status: 'pending', label: 'To be sent' },
  { status: 'delivered', label: 'Delivered' },
  { status: 'dead', label: 'Given up' },
] as const

const pageSize = 50

/** One page of deliveries, and where the others are. It costs the same however many there are. */
export async function readDeliveryTable(
  deps: Pick<Deps, 'db'>,
  context: PageContext<z.output<typeof DeliveryQuery>>,
  source: { subscriptionId: number | null; path: string; showTarget: boolean },
): Promise<DeliveryTable> {
  const { status, before, after } = context.query
  const { subscriptionId } = source
  const selection = { subscriptionId, status, before, after, limit: pageSize + 1 }
  const { items, more } = toPage(await selectDeliveries(deps.db, context.workspace.id, selection), pageSize)
  const rows = after === undefined ? items : items.toReversed()

  const address = (query: Record<string, string | number | undefined>) => {
    const all = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) all.set(name, String(value))
    return pathTo(context, all.size === 0 ? source.path : `${source.path}?${all.toString()}`)
  }
  const newest = rows[0]?.id
  const oldest = rows.at(-1)?.id
  const hasNewer = after === undefined ? before !== undefined : more
  const hasOlder = after === undefined ? more : true
  return {
    rows: rows.map((row) => toDeliveryRow(row, source.showTarget)),
    filters: statusFilters.map((filter) => ({
      label: filter.label,
      address: address({ status: filter.status }),
      isHere: filter.status === status,
    })),
    isFiltered: status !== undefined || before !== undefined || after !== undefined,
    previous: hasNewer && newest !== undefined ? address({ status, after: newest }) : null,
    next: hasOlder && oldest !== undefined ? address({ status, before: oldest }) : null,
  }
}

function toDeliveryRow(row: DeliverySummary, showTarget: boolean): DeliveryRow {
  const about = row.callId === null ? 'made-up data' : row.contact || 'an erased contact'
  return {
    id: row.id,
    event: row.callId === null ? 'Test event' : `Call ${row.callId}`,
    about: showTarget ? row.targetUrl : about,
    badge: deliveryBadge(row.status, row.tries),
    response: formatAttemptResponse(row),
    attempts: row.tries,
    createdAt: row.createdAt,
    nextAttemptAt: row.nextTryAt,
  }
}
