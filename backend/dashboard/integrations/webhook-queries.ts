import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

export type DeliveryStatus = 'pending' | 'delivered' | 'dead' | 'gone'

export interface DeliverySummary {
  id: number
  eventId: string
  /** Null for a test event. */
  callId: number | null
  contact: string | null
  targetUrl: string
  status: DeliveryStatus
  createdAt: Date
  nextTryAt: Date | null
  tries: number
  /** Of the last try; null before the first. */
  statusCode: number | null
  error: string | null
  durationMs: number | null
  triedAt: Date | null
}

/** Which deliveries, and which of them: older than `before` or newer than `after`, both ids. */
export interface DeliveryFilter {
  /** Null: those to callback URLs. */
  subscriptionId: number | null
  status: DeliveryStatus | undefined
  before: number | undefined
  after: number | undefined
  limit: number
}

/** The newest first; with `after` the nearest ones, the oldest first. */
export async function selectDeliveries(
  db: Db,
  workspaceId: number,
  { subscriptionId, status, before, after, limit }: DeliveryFilter,
): Promise<DeliverySummary[]> {
  const subscriptionCondition =
    subscriptionId === null ? sql`d.subscription_id is null` : sql`d.subscription_id = ${subscriptionId}`
  const { rows } = await sql<DeliverySummary>`
    select d.id, d.event_id as "eventId", event.call_id as "callId", call.to_number as contact,
      d.target_url as "targetUrl", d.status, d.created_at as "createdAt", d.next_try_at as "nextTryAt",
      coalesce(last.number, 0) as tries, last.status_code as "statusCode", last.error,
      last.duration_ms as "durationMs", last.at as "triedAt"
    from (
      select * from webhook_delivery d
      where d.workspace_id = ${workspaceId} and ${subscriptionCondition}
        and ${status === undefined ? sql`true` : sql`d.status = ${status}`}
        and ${before === undefined ? sql`true` : sql`d.id < ${before}`}
        and ${after === undefined ? sql`true` : sql`d.id > ${after}`}
      order by d.id ${after === undefined ? sql`desc` : sql`asc`}
      limit ${limit}
    ) d
    join event on event.id = d.event_id
    left join call on call.id = event.call_id
    left join lateral (
      select number, status_code, error, duration_ms, at from delivery_attempt a
      where a.delivery_id = d.id order by number desc limit 1
    ) last on true
    order by d.id ${after === undefined ? sql`desc` : sql`asc`}
  `.execute(db)
  return rows
}

/** One delivery, with the event that it carries. */
export const findDelivery = (db: Db, workspaceId: number, id: number) =>
  db
    .selectFrom('webhook_delivery as d')
    .innerJoin('event', 'event.id', 'd.event_id')
    .leftJoin('webhook_subscription as s', 's.id', 'd.subscription_id')
    .select(['d.id', 'd.subscription_id', 'd.target_url', 'd.status', 'd.created_at', 'd.next_try_at'])
    .select(['d.finished_at', 'd.event_id', 'event.call_id', 'event.type', 'event.body', 's.disabled_at'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', '=', id)
    .executeTakeFirst()

/** The tries of a delivery, the newest first. */
export const selectDeliveryAttempts = (db: Db, workspaceId: number, deliveryId: number) =>
  db
    .selectFrom('delivery_attempt as a')
    .innerJoin('webhook_delivery as d', 'd.id', 'a.delivery_id')
    .select(['a.number', 'a.at', 'a.duration_ms', 'a.status_code', 'a.error'])
    .where('d.workspace_id', '=', workspaceId)
    .where('a.delivery_id', '=', deliveryId)
    .orderBy('a.number', 'desc')
    .limit(200)
    .execute()
