import type { CallCompletedEvent, WebhookFilter } from '@outdial/contract'
import { sql } from 'kysely'
import { secondMs } from '../platform/core/durations.ts'
import { prepared } from '../platform/db/connect.ts'
import type { Db } from '../platform/db/schema.ts'
import { callbackDelayMs } from './callback-url-store.ts'

/** An event stores a list of subscriptions that it isn't sent to. This is the maximum length of the list. */
const maxStoredUnmatched = 50

/**
 * Inserts the events of calls and their deliveries in one statement. Stores with each event how many subscriptions it's sent
 * to, and why it isn't sent to the others. If another transaction is ending a subscription or a connection, the key-share locks
 * make one of the two wait. Otherwise, a delivery could be added after the pending ones have been canceled.
 *
 * @returns the number of deliveries
 */
export async function insertEventsWithDeliveries(
  db: Db,
  workspaceId: number,
  { events, at }: { events: readonly CallCompletedEvent[]; at: Date },
): Promise<number> {
  const rows = events.map((event) => {
    const { id: call_id, campaign_id, agent_id, outcome, opted_out, goal_met, test } = event.data
    const body = JSON.stringify(event)
    const columns = { call_id, campaign_id, agent_id, outcome, opted_out, goal_met, test, body }
    return { id: event.id, type: event.type, ...columns }
  })
  const { numAffectedRows = 0n } = await sql`${prepared}
    with completed as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}) as completed (
        id text, type text, call_id bigint, campaign_id bigint, agent_id bigint, outcome text, opted_out boolean,
        goal_met boolean, test boolean, body text
      )
    ), checked as materialized (
      select completed.id as event_id, subscription.id, case
        when disabled_at is not null then 'disabled'
        when coalesce((filter ->> 'campaign_id')::bigint, campaign_id) <> campaign_id then 'campaign_id'
        when coalesce((filter ->> 'agent_id')::bigint, agent_id) <> agent_id then 'agent_id'
        when filter -> 'outcome' <> 'null' and not filter -> 'outcome' ? outcome then 'outcome'
        when (filter ->> 'goal_met')::boolean is distinct from goal_met and filter ? 'goal_met' then 'goal_met'
        when filter ? 'opted_out' and not coalesce(opted_out, false) then 'opted_out'
        when filter ->> 'test' = case when test then 'exclude' else 'only' end then 'test'
      end as reason
      from webhook_subscription as subscription
      join completed on completed.type = subscription.event
      where workspace_id = ${workspaceId} and ended_at is null
    ), unmatched as (
      select event_id, count(*), coalesce(
          jsonb_agg(jsonb_build_object('id', id, 'reason', reason) order by id)
            filter (where position <= ${maxStoredUnmatched}),
          '[]'
        ) as subscriptions
      from (
        select event_id, id, reason, row_number() over (partition by event_id order by id desc) as position
        from checked where reason is not null
      ) as latest
      group by event_id
    ), wanted as materialized (
      select id, target_url from webhook_subscription
      where id in (select id from checked where reason is null) and ended_at is null and disabled_at is null
      order by id
      for key share
    ), matched as (
      select event_id, id, target_url from checked join wanted using (id) where reason is null
    ), added as (
      insert into event (id, workspace_id, type, call_id, body, created_at, unmatched, unmatched_count, matched_count)
      select completed.id, ${workspaceId}, type, call_id, body, ${at}, coalesce(unmatched.subscriptions, '[]'),
        coalesce(unmatched.count, 0), (select count(*) from matched where event_id = completed.id)
      from completed left join unmatched on unmatched.event_id = completed.id
      on conflict (call_id, type) do nothing
      returning id, call_id
    ), callback as materialized (
      select id, call_id, url,
        greatest(${at}, created_at + make_interval(secs => ${callbackDelayMs / secondMs})) as not_before
      from call_callback
      where id = any(array(
          select callback.id from completed
          cross join lateral (select id from call_callback where call_id = completed.call_id and url <> '') as callback
        ))
        and workspace_id = ${workspaceId} and ended_at is null
      order by id
      for key share
    ), targets as (
      select event_id, id as subscription_id, null::bigint as callback_id, target_url, ${at}::timestamptz as not_before
      from matched
      union all
      select added.id, null, callback.id, url, not_before from added join callback using (call_id)
    )
    insert into webhook_delivery
      (workspace_id, event_id, subscription_id, callback_id, target_url, next_attempt_at, created_at)
    select ${workspaceId}, added.id, targets.subscription_id, targets.callback_id, targets.target_url,
      targets.not_before, ${at}
    from added join targets on targets.event_id = added.id
  `.execute(db)
  return Number(numAffectedRows)
}

/** Returns the newest campaign whose calls can pass the filter, with its agent. */
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
 * Inserts an event without a call, and its one delivery. Locks the subscription like `insertEventsWithDeliveries`.
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
      where workspace_id = ${workspaceId} and id = ${subscriptionId} and ended_at is null
      for key share
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
