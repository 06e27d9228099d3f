import type { CallCompletedEvent, WebhookFilter } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/**
 * Inserts the event and its deliveries in one statement. If a subscription is being removed, the key-share lock makes
 * one of the two transactions wait. Otherwise, the foreign key and then the transaction that ends the call could fail.
 */
export async function insertEventWithDeliveries(
  db: Db,
  workspaceId: number,
  row: { event: CallCompletedEvent; callbackUrl: string | null; at: Date },
): Promise<void> {
  const { event, callbackUrl, at } = row
  await sql`
    with added as (
      insert into event (id, workspace_id, type, call_id, body, created_at)
      values (${event.id}, ${workspaceId}, ${event.type}, ${event.data.id}, ${JSON.stringify(event)}, ${at})
      on conflict (call_id, type) do nothing
      returning id
    ), wanted as (
      select id, target_url from webhook_subscription
      where workspace_id = ${workspaceId} and event = ${event.type} and disabled_at is null
        and coalesce((filter ->> 'campaign_id')::bigint, ${event.data.campaign_id}) = ${event.data.campaign_id}
        and coalesce((filter ->> 'agent_id')::bigint, ${event.data.agent_id}) = ${event.data.agent_id}
        and (filter -> 'outcome' = 'null' or filter -> 'outcome' ? ${event.data.outcome})
      order by id
      for key share
    ), targets as (
      select id as subscription_id, target_url from wanted
      union all
      select null, ${callbackUrl}::text where ${callbackUrl}::text is not null
    )
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_attempt_at, created_at)
    select ${workspaceId}, added.id, targets.subscription_id, targets.target_url, ${at}, ${at}
    from added cross join targets
  `.execute(db)
}

/** Returns the newest campaign whose calls pass the filter, with its agent. */
export async function findSampleCampaign(
  db: Db,
  workspaceId: number,
  { campaign_id, agent_id }: WebhookFilter,
): Promise<{ campaign: { id: number; name: string }; agent: { id: number; name: string } } | undefined> {
  const row = await db
    .selectFrom('campaign')
    .innerJoin('agent', (join) =>
      join
        .onRef('agent.id', '=', 'campaign.agent_id')
        .onRef('agent.workspace_id', '=', 'campaign.workspace_id'),
    )
    .select(['campaign.id', 'campaign.name', 'agent.id as agentId', 'agent.name as agentName'])
    .where('campaign.workspace_id', '=', workspaceId)
    .$if(campaign_id !== null, (query) => query.where('campaign.id', '=', campaign_id))
    .$if(agent_id !== null, (query) => query.where('agent.id', '=', agent_id))
    .orderBy('campaign.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { campaign: { id: row.id, name: row.name }, agent: { id: row.agentId, name: row.agentName } }
}

/**
 * Inserts an event without a call, and its one delivery. Locks the subscription like `insertEventWithDeliveries`.
 * Returns undefined if the subscription doesn't exist.
 */
export async function insertTestDelivery(
  db: Db,
  workspaceId: number,
  row: { event: CallCompletedEvent; subscriptionId: number; at: Date },
): Promise<number | undefined> {
  const { event, subscriptionId, at } = row
  const { rows } = await sql<{ id: number }>`
    with target as (
      select id, target_url from webhook_subscription
      where workspace_id = ${workspaceId} and id = ${subscriptionId} for key share
    ), added as (
      insert into event (id, workspace_id, type, call_id, body, created_at)
      select ${event.id}, ${workspaceId}, ${event.type}, null, ${JSON.stringify(event)}, ${at}::timestamptz from target
      returning id
    )
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_attempt_at, created_at)
    select ${workspaceId}, added.id, target.id, target.target_url, ${at}::timestamptz, ${at}::timestamptz
    from added cross join target
    returning id
  `.execute(db)
  return rows[0]?.id
}
