import type { CallingHours } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Due, and nobody talks to the number already. */
export const isClaimable = (now: Date) => sql`
  call.status = 'queued' and not call.test and call.next_attempt_at <= ${now}
  and not exists (
    select from call_attempt
    where call_attempt.workspace_id = call.workspace_id and call_attempt.to_number = call.to_number
      and call_attempt.ended_at is null and not call_attempt.test
  )`

/** A call whose row is held, with all that the decision and the line need. */
export interface CallToDial {
  id: number
  workspace_id: number
  campaign_id: number
  campaign_name: string
  calling_hours: CallingHours
  campaign_time_zone: string
  contact_time_zone: string | null
  first_name: string | null
  last_name: string | null
  variables: Record<string, string>
  scheduled_at: Date | null
  widget_id: string
  agent_name: string
  language: string
  greeting: string
  from_number: string
  to_number: string
  do_not_call: boolean
}

/** What `HeldCall` tells, out of call, campaign, agent and contact. */
export const callToDialColumns = sql`
  call.id, call.workspace_id, call.campaign_id, campaign.name as campaign_name, campaign.calling_hours,
  campaign.time_zone as campaign_time_zone, contact.time_zone as contact_time_zone, contact.first_name,
  contact.last_name, contact.variables, agent.widget_id, agent.name as agent_name, agent.language,
  agent.greeting, call.scheduled_at, call.from_number, call.to_number,
  exists (
    select from do_not_call
    where do_not_call.workspace_id = call.workspace_id
      and do_not_call.number_hash = number_hash(call.workspace_id, call.to_number)
  ) as do_not_call`

const activeJoins = sql`
  join campaign on campaign.id = call.campaign_id and campaign.status = 'active'
  join agent on agent.id = call.agent_id and agent.status = 'live'
  join phone_number on phone_number.id = call.phone_number_id and phone_number.status = 'active'
  join contact on contact.id = call.contact_id`

/** Holds the calls that are due longest, as many of each campaign as `shares` says. */
export async function lockDueCalls(
  tx: Db,
  shares: ReadonlyMap<number, number>,
  now: Date,
): Promise<CallToDial[]> {
  const { rows } = await sql<CallToDial>`
    select ${callToDialColumns}
    from unnest(${[...shares.keys()]}::bigint[], ${[...shares.values()]}::int[]) as share (campaign_id, take)
    cross join lateral (
      select * from call
      where call.campaign_id = share.campaign_id and ${isClaimable(now)}
      order by call.next_attempt_at, call.id
      limit share.take
      for no key update skip locked
    ) as call
    ${activeJoins}`.execute(tx)
  return rows
}

/** Holds test calls that are due; the workspaces take turns. */
export async function lockDueTestCalls(tx: Db, capacity: number, now: Date): Promise<CallToDial[]> {
  const { rows } = await sql<CallToDial>`
    select ${callToDialColumns}
    from (
      select id, row_number() over (partition by workspace_id order by next_attempt_at, id) as turn
      from (
        select call.id, call.workspace_id, call.next_attempt_at
        from call ${activeJoins}
        where call.status = 'queued' and call.test and call.next_attempt_at <= ${now}
        order by call.next_attempt_at, call.id
        limit 1000
      ) as due
      order by turn, id
      limit ${capacity}
    ) as next
    join call on call.id = next.id
    ${activeJoins}
    where call.status = 'queued'
    order by call.id
    for no key update of call skip locked`.execute(tx)
  return rows
}

export interface NewAttempt {
  id: string
  fence: number
  call_id: number
  number: number
}

/**
 * Starts an attempt for each held call, leased by the database's clock. A call is left waiting where another
 * transaction was first to call its number: the partial unique index decides. In order of number, so that two
 * dialers never wait for each other.
 */
export async function startAttempts(
  tx: Db,
  callIds: readonly number[],
  lease: { provider: string; workerId: string; leaseMs: number; now: Date },
): Promise<NewAttempt[]> {
  const { rows } = await sql<NewAttempt>`
    with started as (
      insert into call_attempt (workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at)
      select workspace_id, id, campaign_id, attempts + 1, to_number, test, ${lease.provider}, ${lease.workerId}::uuid,
        clock_timestamp() + ${lease.leaseMs}::float8 * interval '1 millisecond', ${lease.now}
      from call
      where id = any(${callIds}::bigint[])
      order by workspace_id, to_number, id
      on conflict (workspace_id, to_number) where ended_at is null and not test do nothing
      returning id, fence, call_id, number
    )
    update call set status = 'dialing', attempts = started.number, next_attempt_at = null
    from started where call.id = started.call_id
    returning started.id, started.fence, started.call_id, started.number`.execute(tx)
  return rows
}

const liveAttempts = sql`(
  select count(*) from call_attempt
  where call_attempt.campaign_id = campaign.id and call_attempt.ended_at is null and not call_attempt.test
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
        (select max(claimed_at) from campaign as other where other.workspace_id = campaign.workspace_id) as served_at
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
