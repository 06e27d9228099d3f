import type { CallOutcome, CallStatus, WaitingFor } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** Calls that ended within a quarter of an hour: whole hours of a zone are made of them, whatever its offset. */
export interface EndedCalls {
  quarter: Date
  outcome: CallOutcome
  test: boolean
  count: number
  /** Talked, over all of them. */
  seconds: number
}

/** What ended from `from` on and before `to`. Reads the index `call_ended` alone. */
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
  /** Null: nothing hinders them, the dialer is about to take them. */
  waiting_for: WaitingFor | null
  count: number
  next_attempt_at: Date
}

/**
 * How many calls wait, by what they wait for (read-store.ts tells it of one call). They are counted by campaign first,
 * and judged by it then: a queue of 100,000 is read from the index `call_queue` alone. A number that talks with another
 * campaign at the moment counts as free.
 */
export async function countWaitingCalls(db: Db, workspaceId: number, now: Date): Promise<WaitingCalls[]> {
  const { rows } = await sql<WaitingCalls>`
    with waiting as (
      select campaign_id, agent_id, phone_number_id,
        case
          when due_at > ${now} then case when attempts > 0 then 'retry' else 'schedule' end
          when next_attempt_at > ${now} then 'calling_hours'
          when test then 'turn'
          else 'room'
        end as state,
        count(*) as count, min(next_attempt_at) as next_attempt_at
      from call
      where workspace_id = ${workspaceId} and status = 'queued'
      group by 1, 2, 3, 4
    ), busy as (
      select campaign_id, count(*) as count from attempt
      where workspace_id = ${workspaceId} and ended_at is null and not test
        and campaign_id in (select campaign_id from waiting)
      group by 1
    )
    select
      case
        when campaign.status = 'paused' then 'campaign_paused'
        when agent.status <> 'live' then 'agent_not_live'
        when phone_number.status <> 'active' then 'number_not_active'
        when waiting.state in ('retry', 'schedule', 'calling_hours') then waiting.state
        when waiting.state = 'room' and busy.count >= campaign.max_concurrent_calls then 'concurrency'
      end as waiting_for,
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

/** Calls that ring or talk, the latest first. */
export const findLiveCalls = (db: Db, workspaceId: number, limit: number) =>
  db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .leftJoin('attempt', (join) =>
      join.onRef('attempt.call_id', '=', 'call.id').on('attempt.ended_at', 'is', null),
    )
    .select([
      'call.id',
      'call.status',
      'call.outcome',
      'call.test',
      'call.to_number',
      'call.answered_at',
      'call.campaign_id',
      'campaign.name as campaign_name',
      'agent.name as agent_name',
      'contact.first_name',
      'contact.last_name',
      'attempt.started_at',
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
