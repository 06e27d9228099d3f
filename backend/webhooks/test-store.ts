import type { CallCompletedEvent, WebhookFilter } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** A campaign with its agent whose calls pass the filter; the newest where several do. */
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
 * An event of no call, and its one delivery. The key-share lock makes a subscription that is being removed wait or
 * vanish, as in the outbox. Undefined where it vanished.
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
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_try_at, created_at)
    select ${workspaceId}, added.id, target.id, target.target_url, ${at}::timestamptz, ${at}::timestamptz
    from added cross join target
    returning id
  `.execute(db)
  return rows[0]?.id
}
