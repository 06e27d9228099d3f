import type { CallCompletedEvent } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/**
 * The event and its deliveries in one statement. The key-share lock makes a subscription that is being removed
 * wait or vanish: without it the foreign key would fail, and with it the transaction that ends the call.
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
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_try_at, created_at)
    select ${workspaceId}, added.id, targets.subscription_id, targets.target_url, ${at}, ${at}
    from added cross join targets
  `.execute(db)
}
