import type { CallOutcome, CallStatus, WaitingFor } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import {
  freeCapacity,
  isLiveAttempt,
  limitedBy,
  waitingForFirst,
  waitingForTime,
} from '../../queue/calls/can-call.ts'
import { isOfCall } from '../../webhooks/test-events.ts'

/** Calls that ended in the same quarter of an hour. Quarters add up to hours in every time zone. */
export interface EndedCalls {
  quarter: Date
  outcome: CallOutcome
  test: boolean
  count: number
  /** Total duration. */
  seconds: number
}

/** Counts the calls that ended at or after `from` and before `to`. Reads only the index `call_ended`. */
export async function countEndedCalls(
  db: Db,
  workspaceId: number,
  { from, to }: { from: Date; to: Date },
): Promise<EndedCalls[]> {
  const { rows } = await sql<EndedCalls>`
    select date_bin('15 minutes', ended_at, timestamptz 'epoch') as quarter, outcome, test,
      count(*) as count, coalesce(sum(duration_seconds), 0) as seconds
    from call
    where workspace_id = ${workspaceId} and ended_at is not null and ended_at >= ${from} and ended_at < ${to}
    group by 1, 2, 3`.execute(db)
  return rows
}

export interface WaitingCalls {
  /** Null if nothing delays the calls and the dialer is about to place them. */
  waiting_for: WaitingFor | null
  count: number
  next_attempt_at: Date
}

/**
 * Counts queued calls by what they wait for, which `waitingFor` decides for a single call. Groups them by campaign first, so a
 * queue of 100,000 calls is read only from the index `call_waiting_of_campaign`. A number that is on a call for another
 * campaign counts as free.
 */
export async function countWaitingCalls(db: Db, workspaceId: number, now: Date): Promise<WaitingCalls[]> {
  const calls = {
    time: sql`waiting.time`,
    limited: limitedBy(now, sql`waiting.test`),
    atCapacity: sql`not waiting.test and ${freeCapacity(sql`busy.count`)} <= 0`,
  }
  const { rows } = await sql<WaitingCalls>`
    with waiting as (
      select campaign_id, agent_id, phone_number_id, test, ${waitingForTime(now)} as time,
        count(*) as count, min(next_attempt_at) as next_attempt_at
      from call
      where workspace_id = ${workspaceId} and status = 'queued'
      group by 1, 2, 3, 4, 5
    ), busy as (
      -- Counts live attempts of all campaigns in one query, because there can be thousands of campaigns.
      select campaign_id, count(*) as count from call_attempt
      where workspace_id = ${workspaceId} and ${isLiveAttempt} and campaign_id in (select campaign_id from waiting)
      group by 1
    )
    select ${waitingForFirst(calls)} as waiting_for,
      sum(waiting.count)::bigint as count, min(waiting.next_attempt_at) as next_attempt_at
    from waiting
    join campaign on campaign.id = waiting.campaign_id
    join agent on agent.id = waiting.agent_id
    join phone_number on phone_number.id = waiting.phone_number_id
    left join busy on busy.campaign_id = waiting.campaign_id
    group by 1
    order by 2 desc`.execute(db)
  return rows
}

const liveStatuses: CallStatus[] = ['dialing', 'in_progress']

/** A call that is dialing or in progress. */
export type OverviewCall = Awaited<ReturnType<typeof findLiveCalls>>[number]

/** Returns the calls that are dialing or in progress, newest first. */
export const findLiveCalls = (db: Db, workspaceId: number, limit: number) =>
  db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .leftJoin('call_attempt', (join) =>
      join.onRef('call_attempt.call_id', '=', 'call.id').on('call_attempt.ended_at', 'is', null),
    )
    .select([
      'call.id',
      'call.status',
      'call.outcome',
      'call.test',
      'call.to_number',
      'call.answered_at',
      'campaign.name as campaign_name',
      'agent.name as agent_name',
      'contact.first_name',
      'contact.last_name',
      'call_attempt.started_at',
    ])
    .where('call.workspace_id', '=', workspaceId)
    .where('call.status', 'in', liveStatuses)
    .orderBy('call.id', 'desc')
    .limit(limit)
    .execute()

export const countLiveCalls = async (db: Db, workspaceId: number): Promise<number> => {
  const { count } = await db
    .selectFrom('call')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('status', 'in', liveStatuses)
    .executeTakeFirstOrThrow()
  return count
}

/** Which of the first steps a workspace has done. */
export interface FirstSteps {
  number: boolean
  agent: boolean
  campaign: boolean
  call: boolean
  connection: boolean
}

export async function findFirstSteps(db: Db, workspaceId: number): Promise<FirstSteps> {
  const { rows } = await sql<FirstSteps>`
    select
      exists (select from phone_number where workspace_id = ${workspaceId}) as number,
      exists (select from agent where workspace_id = ${workspaceId} and status <> 'draft') as agent,
      exists (select from campaign where workspace_id = ${workspaceId}) as campaign,
      exists (select from call where workspace_id = ${workspaceId} and ended_at is not null) as call,
      exists (select from oauth_grant where workspace_id = ${workspaceId})
        or exists (select from api_key where workspace_id = ${workspaceId} and last_used_at is not null)
        as connection`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('invariant: a select without a table returned no row')
  return found
}

/** An agent or a phone number that calls wait for. */
export interface InactiveWithCalls {
  kind: 'agent' | 'number'
  id: number
  name: string
  status: string
}

/** Returns the agents that aren't Live and the retired numbers that calls of campaigns wait for, by name. */
export async function selectInactiveWithCalls(
  db: Db,
  workspaceId: number,
  limit: number,
): Promise<InactiveWithCalls[]> {
  // Looks for calls by campaign, because waiting calls have no index by agent or number.
  const hasWaitingCalls = (column: string, id: string) => sql`exists (
    select from campaign
    where campaign.workspace_id = ${workspaceId} and ${sql.ref(column)} = ${sql.ref(id)}
      and exists (
        select from call
        where call.workspace_id = ${workspaceId} and call.campaign_id = campaign.id and call.status = 'queued'
      )
  )`
  const { rows } = await sql<InactiveWithCalls>`
    select * from (
      select 'agent' as kind, id, name, status from agent
      where workspace_id = ${workspaceId} and status <> 'live' and ${hasWaitingCalls('campaign.agent_id', 'agent.id')}
      union all
      select 'number', id, label, status from phone_number
      where workspace_id = ${workspaceId} and status <> 'active'
        and ${hasWaitingCalls('campaign.phone_number_id', 'phone_number.id')}
    ) as inactive
    order by kind, name, id
    limit ${limit}`.execute(db)
  return rows
}

export const maxFailing = 50

/** Returns the disabled and failing subscriptions, disabled ones first, with the values that identify them in notices. */
export const selectFailingSubscriptions = (db: Db, workspaceId: number) =>
  db
    .selectFrom('webhook_subscription as s')
    .leftJoin('oauth_client', 'oauth_client.id', 's.client_id')
    .leftJoin('api_key', 'api_key.id', 's.api_key_id')
    .leftJoin('campaign', (join) =>
      join
        .onRef('campaign.workspace_id', '=', 's.workspace_id')
        .on('campaign.id', '=', sql<number>`(s.filter ->> 'campaign_id')::bigint`),
    )
    .leftJoin('agent', (join) =>
      join
        .onRef('agent.workspace_id', '=', 's.workspace_id')
        .on('agent.id', '=', sql<number>`(s.filter ->> 'agent_id')::bigint`),
    )
    .select(['s.id', 's.target_url', 's.disabled_at', 's.filter'])
    .select(['oauth_client.name as app', 'api_key.name as key_name'])
    .select(['campaign.name as campaign', 'agent.name as agent'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.ended_at', 'is', null)
    .where((eb) => eb.or([eb('s.disabled_at', 'is not', null), eb('s.failing_since', 'is not', null)]))
    .orderBy('s.disabled_at')
    .orderBy('s.id')
    .limit(maxFailing)
    .execute()

/** Counts exhausted deliveries, up to `max`, without test events. */
export const countExhaustedDeliveries = async (db: Db, workspaceId: number, max: number): Promise<number> => {
  const exhausted = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'exhausted')
    .where(isOfCall('webhook_delivery'))
    .limit(max)
  const { count } = await db
    .selectFrom(exhausted.as('exhausted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the Live agents with braces in their greetings. Some may be placeholders that can't be filled. */
export const selectLiveAgentsWithBraces = (db: Db, workspaceId: number) =>
  db
    .selectFrom('agent')
    .select(['id', 'name', 'greeting', 'variables'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'live')
    .where(sql<boolean>`greeting ~ '[{}]'`)
    .orderBy('name')
    .execute()
