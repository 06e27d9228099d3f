import type { WebhookFilter } from '@outdial/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import type { DeliveryStatus, SubscriptionEndedReason } from '../../platform/db/tables/webhook-tables.ts'
import { isOfCall } from '../../webhooks/test-events.ts'

export interface DeliverySummary {
  id: number
  /** Null for a test event. */
  call_id: number | null
  contact: string | null
  target_url: string
  status: DeliveryStatus
  created_at: Date
  next_attempt_at: Date | null
  /** The reason why the subscription ended. */
  ended_reason: SubscriptionEndedReason | null
  attempts: number
  /** The status of the last response; null before the first attempt. */
  status_code: number | null
  error: string | null
  duration_ms: number | null
}

/** A page of deliveries, with IDs below `before` or above `after`. */
interface DeliveryFilter {
  /** Null for deliveries to callback URLs. */
  subscriptionId: number | null
  status: DeliveryStatus | undefined
  before: number | undefined
  after: number | undefined
  limit: number
}

/** Returns deliveries, newest first. With `after`, returns the closest ones, oldest first. */
export async function selectDeliveries(
  db: Db,
  workspaceId: number,
  { subscriptionId, status, before, after, limit }: DeliveryFilter,
): Promise<DeliverySummary[]> {
  const subscriptionCondition =
    subscriptionId === null ? sql`d.subscription_id is null` : sql`d.subscription_id = ${subscriptionId}`
  const { rows } = await sql<DeliverySummary>`
    select d.id, event.call_id, call.to_number as contact, d.target_url, d.status, d.created_at,
      d.next_attempt_at, s.ended_reason, coalesce(last.number, 0) as attempts, last.status_code, last.error, last.duration_ms
    from (
      select * from webhook_delivery d
      where d.workspace_id = ${workspaceId} and ${subscriptionCondition} and d.event_id is not null
        and ${status === undefined ? sql`true` : sql`d.status = ${status}`}
        and ${before === undefined ? sql`true` : sql`d.id < ${before}`}
        and ${after === undefined ? sql`true` : sql`d.id > ${after}`}
      order by d.id ${after === undefined ? sql`desc` : sql`asc`}
      limit ${limit}
    ) d
    join event on event.id = d.event_id
    left join call on call.id = event.call_id
    left join webhook_subscription s on s.id = d.subscription_id
    left join lateral (
      select number, status_code, error, duration_ms from delivery_attempt a
      where a.delivery_id = d.id order by number desc limit 1
    ) last on true
    order by d.id ${after === undefined ? sql`desc` : sql`asc`}
  `.execute(db)
  return rows
}

/** Finds a delivery with its event. */
export const findDelivery = (db: Db, workspaceId: number, id: number) =>
  db
    .selectFrom('webhook_delivery as d')
    .innerJoin('event', 'event.id', 'd.event_id')
    .leftJoin('webhook_subscription as s', 's.id', 'd.subscription_id')
    .select(['d.id', 'd.subscription_id', 'd.target_url', 'd.status', 'd.created_at', 'd.next_attempt_at'])
    .select(['d.finished_at', 'event.id as event_id', 'event.call_id', 'event.body', 's.disabled_at'])
    .leftJoin('call_callback as c', 'c.id', 'd.callback_id')
    .select(['s.ended_at as subscription_ended_at', 's.ended_reason', 'c.ended_at as callback_ended_at'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', '=', id)
    .executeTakeFirst()

/** Finds the delivery, with its last attempt, that notifies Zapier of a subscription's end. Undefined if there's none. */
export const findReportToZapier = (db: Db, workspaceId: number, subscriptionId: number) =>
  db
    .selectFrom('webhook_delivery as d')
    .leftJoin('delivery_attempt as a', 'a.delivery_id', 'd.id')
    .select(['d.status', 'd.next_attempt_at', 'a.status_code', 'a.error', 'a.at as last_attempt_at'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.subscription_id', '=', subscriptionId)
    .where('d.event_id', 'is', null)
    .orderBy('a.number', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns the attempts of a delivery, newest first. */
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

export interface SubscriptionSummary {
  id: number
  user_id: number
  target_url: string
  filter: WebhookFilter
  created_at: Date
  disabled_at: Date | null
  failing_since: Date | null
  ended_at: Date | null
  ended_reason: SubscriptionEndedReason | null
  /** The API key, app, or member that unsubscribed. */
  ended_by: string | null
  previous_secret_until: Date | null
  /** Set for the subscription of an API key. */
  key_name: string | null
  key_prefix: string | null
  /** Set for the subscription of an app. */
  app: string | null
  user_name: string
  /** Name of the filter's campaign. */
  campaign: string | null
  /** Name of the filter's agent. */
  agent: string | null
  pending: number
  exhausted: number
  last_status: DeliveryStatus | null
  last_at: Date | null
}

/**
 * Returns subscriptions with owner and health: disabled ones first, then failing ones, then the newest. `ended` selects
 * those that have ended instead, the latest first. `id` selects one, ended or not. The health doesn't include test events.
 */
export async function selectSubscriptions(
  db: Db,
  workspaceId: number,
  options: { id?: number; ended?: boolean; limit: number; offset: number },
): Promise<SubscriptionSummary[]> {
  const { id, ended = false } = options
  const selected = id === undefined ? sql`(s.ended_at is not null) = ${ended}` : sql`s.id = ${id}`
  const { rows } = await sql<SubscriptionSummary>`
    select s.id, s.user_id, s.target_url, s.filter, s.created_at, s.disabled_at, s.failing_since, s.ended_at,
      s.ended_reason, coalesce(ended_key.name, ended_client.name, ended_user.name) as ended_by, s.previous_secret_until,
      k.name as key_name, k.prefix as key_prefix, c.name as app, u.name as user_name,
      campaign.name as campaign, agent.name as agent,
      (
        select count(*) from webhook_delivery d where d.subscription_id = s.id and d.status = 'pending' and ${isOfCall('d')}
      ) as pending,
      (
        select count(*) from webhook_delivery d where d.workspace_id = s.workspace_id and d.subscription_id = s.id
          and d.status = 'exhausted' and ${isOfCall('d')}
      ) as exhausted,
      newest.status as last_status, newest.at as last_at
    from webhook_subscription s
    join app_user u on u.id = s.user_id
    left join api_key k on k.id = s.api_key_id
    left join oauth_client c on c.id = s.client_id
    left join app_user ended_user on ended_user.id = s.ended_by_user_id
    left join api_key ended_key on ended_key.id = s.ended_by_api_key_id
    left join oauth_client ended_client on ended_client.id = s.ended_by_client_id
    left join campaign on campaign.workspace_id = s.workspace_id
      and campaign.id = (s.filter ->> 'campaign_id')::bigint
    left join agent on agent.workspace_id = s.workspace_id and agent.id = (s.filter ->> 'agent_id')::bigint
    left join lateral (
      select d.status, coalesce(d.finished_at, d.created_at) as at from webhook_delivery d
      where d.subscription_id = s.id and ${isOfCall('d')} order by d.id desc limit 1
    ) newest on true
    where s.workspace_id = ${workspaceId} and ${selected}
    order by s.ended_at desc nulls first, s.disabled_at is null, s.failing_since is null, s.id desc
    limit ${options.limit} offset ${options.offset}
  `.execute(db)
  return rows
}

/** Counts the pending and the exhausted deliveries to callback URLs. */
export async function countCallbackDeliveries(
  db: Db,
  workspaceId: number,
): Promise<{ pending: number; exhausted: number; any: boolean }> {
  const { rows } = await sql<{ pending: number; exhausted: number; any: boolean }>`
    select
      count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'exhausted') as exhausted,
      exists (select from webhook_delivery where workspace_id = ${workspaceId} and subscription_id is null) as any
    from webhook_delivery
    where workspace_id = ${workspaceId} and subscription_id is null and status in ('pending', 'exhausted')
  `.execute(db)
  return rows[0] ?? { pending: 0, exhausted: 0, any: false }
}

const maxOrigins = 50

/** Returns the origins of a workspace's callback URLs, sorted. Looks up each in the index, so it doesn't read all URLs. */
export async function selectCallbackOrigins(db: Db, workspaceId: number): Promise<string[]> {
  const next = (after: RawBuilder<unknown>) => sql`(
    select origin from call_callback
    where workspace_id = ${workspaceId} and url <> '' and origin > ${after} order by origin limit 1
  )`
  const { rows } = await sql<{ origin: string }>`
    with recursive found as (
      select ${next(sql`''`)} as origin
      union all
      select ${next(sql`found.origin`)} from found where found.origin is not null
    )
    select origin from found where origin is not null limit ${maxOrigins}
  `.execute(db)
  return rows.map(({ origin }) => origin)
}
