import type { WebhookFilter } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

export interface SubscriptionSummary {
  id: number
  targetUrl: string
  filter: WebhookFilter
  createdAt: Date
  disabledAt: Date | null
  failingSince: Date | null
  previousSecretUntil: Date | null
  /** Set for the subscription of an API key. */
  keyName: string | null
  keyPrefix: string | null
  /** Set for the subscription of an app. */
  app: string | null
  person: string
  /** Of the filter, where it names them. */
  campaign: string | null
  agent: string | null
  pending: number
  dead: number
  lastStatus: 'pending' | 'delivered' | 'dead' | 'gone' | null
  lastAt: Date | null
}

/** Subscriptions with their owners and how they are: those that do not work first, then the newest. */
export async function selectSubscriptions(
  db: Db,
  workspaceId: number,
  options: { id?: number; limit: number; offset: number },
): Promise<SubscriptionSummary[]> {
  const { rows } = await sql<SubscriptionSummary>`
    select s.id, s.target_url as "targetUrl", s.filter, s.created_at as "createdAt", s.disabled_at as "disabledAt",
      s.failing_since as "failingSince", s.previous_secret_until as "previousSecretUntil",
      k.name as "keyName", k.prefix as "keyPrefix", c.name as app, u.name as person,
      campaign.name as campaign, agent.name as agent,
      (select count(*) from webhook_delivery d where d.subscription_id = s.id and d.status = 'pending') as pending,
      (select count(*) from webhook_delivery d where d.subscription_id = s.id and d.status = 'dead') as dead,
      newest.status as "lastStatus", newest.at as "lastAt"
    from webhook_subscription s
    join app_user u on u.id = s.user_id
    left join api_key k on k.id = s.api_key_id
    left join oauth_client c on c.id = s.client_id
    left join campaign on campaign.workspace_id = s.workspace_id
      and campaign.id = (s.filter ->> 'campaign_id')::bigint
    left join agent on agent.workspace_id = s.workspace_id and agent.id = (s.filter ->> 'agent_id')::bigint
    left join lateral (
      select d.status, coalesce(d.finished_at, d.created_at) as at from webhook_delivery d
      where d.subscription_id = s.id order by d.id desc limit 1
    ) newest on true
    where s.workspace_id = ${workspaceId} and (${options.id ?? null}::bigint is null or s.id = ${options.id ?? null}::bigint)
    order by s.disabled_at is null, s.failing_since is null, s.id desc
    limit ${options.limit} offset ${options.offset}
  `.execute(db)
  return rows
}

/** Of deliveries to callback URLs: how many wait, how many are dead. */
export async function countCallbackDeliveries(
  db: Db,
  workspaceId: number,
): Promise<{ pending: number; dead: number; any: boolean }> {
  const { rows } = await sql<{ pending: number; dead: number; any: boolean }>`
    select
      count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'dead') as dead,
      exists (select from webhook_delivery where workspace_id = ${workspaceId} and subscription_id is null) as any
    from webhook_delivery
    where workspace_id = ${workspaceId} and subscription_id is null and status in ('pending', 'dead')
  `.execute(db)
  return rows[0] ?? { pending: 0, dead: 0, any: false }
}
