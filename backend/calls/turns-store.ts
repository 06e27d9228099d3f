import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { isClaimable } from '../dialer/claim-store.ts'

const liveAttempts = sql`(
  select count(*) from attempt
  where attempt.campaign_id = campaign.id and attempt.ended_at is null and not attempt.test
)`

/**
 * Locks up to 50 campaigns that have something to claim, the workspaces taking turns and in each the campaigns.
 * Only locks: what is counted here is from before the lock, so counting is the next statement's. Another
 * dialer's campaigns are passed over; `NO KEY` leaves calls being queued alone.
 */
export async function lockClaimableCampaigns(tx: Db, now: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select campaign.id
    from campaign join (
      select campaign.id, campaign.claimed_at,
        row_number() over (partition by campaign.workspace_id order by campaign.claimed_at nulls first, campaign.id) as turn,
        (select max(claimed_at) from campaign as own where own.workspace_id = campaign.workspace_id) as served_at
      from campaign
      join agent on agent.id = campaign.agent_id and agent.status = 'live'
      join phone_number on phone_number.id = campaign.phone_number_id and phone_number.status = 'active'
      where campaign.status = 'active'
        and ${liveAttempts} < campaign.max_concurrent_calls
        and exists (select from call where call.campaign_id = campaign.id and ${isClaimable(now)})
      order by turn, served_at nulls first, campaign.id
      limit 50
    ) as next on next.id = campaign.id
    where campaign.status = 'active'
    order by next.turn, next.served_at nulls first, next.id
    for no key update of campaign skip locked`.execute(tx)
  return rows.map((row) => row.id)
}

/** What the locked campaigns may still let out, in the order that they were locked in. */
export async function countCapacity(
  tx: Db,
  campaignIds: readonly number[],
  capacity: number,
  now: Date,
): Promise<{ id: number; workspaceId: number; free: number; due: number }[]> {
  const { rows } = await sql<{ id: number; workspaceId: number; free: number; due: number }>`
    select campaign.id, campaign.workspace_id as "workspaceId",
      campaign.max_concurrent_calls - ${liveAttempts} as free,
      (select count(*) from (
        select from call where call.campaign_id = campaign.id and ${isClaimable(now)} limit ${capacity}
      ) as waiting) as due
    from campaign
    where campaign.id = any(${campaignIds}::bigint[])
    order by array_position(${campaignIds}::bigint[], campaign.id)`.execute(tx)
  return rows
}

/** They have had their turn. Turns go by the database's clock: a test's may stand still. */
export async function markServed(tx: Db, campaignIds: readonly number[]): Promise<void> {
  await sql`update campaign set claimed_at = clock_timestamp() where id = any(${campaignIds}::bigint[])`.execute(
    tx,
  )
}
