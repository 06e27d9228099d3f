import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import { freeCapacity, isDue, isNumberBusy, mayCampaignCall } from '../../queue/calls/can-call.ts'

/** The work that waits for the dialers and sweepers of all processes. */
interface CallBacklog {
  /** How long the most delayed campaign has waited for a dialer, in seconds. 0 if none waits. */
  queueLag: number
  attemptsInProgress: number
  /** The number of attempts in progress whose lease has expired. */
  attemptsWithoutWorker: number
  /** The number of completed calls that ended at least 5 minutes ago, and whose event still waits for their analysis. */
  overdueEvents: number
}

/**
 * Measures what waits for dialers and sweepers, for the metrics. A campaign that has capacity waits from the time when a call
 * became due, or from its last turn if that was later. A campaign at its limit, or outside its calling hours, doesn't wait.
 */
export async function measureCallBacklog({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<CallBacklog> {
  const now = clock.now()
  const { rows } = await sql<CallBacklog>`
    select
      (select coalesce(max(extract(epoch from ${now}::timestamptz - greatest(first.next_attempt_at, queued.claimed_at))), 0)
        from campaign_queue as queued
        join campaign on campaign.id = queued.campaign_id
        join agent on agent.id = campaign.agent_id
        join phone_number on phone_number.id = campaign.phone_number_id
        cross join lateral (
          select next_attempt_at from call
          where call.campaign_id = campaign.id and ${isDue(now)} and not ${isNumberBusy}
          order by next_attempt_at limit 1
        ) as first
        where queued.claim_at <= greatest(${now}, clock_timestamp())
          and ${mayCampaignCall} and ${freeCapacity()} > 0
      )::float8 as "queueLag",
      (select count(*) from call_attempt where ended_at is null) as "attemptsInProgress",
      (select count(*) from call_attempt where ended_at is null and lease_until <= now()) as "attemptsWithoutWorker",
      (select count(*) from call
        where analysis_until is not null and ended_at <= ${new Date(now.getTime() - 5 * minuteMs)}
      ) as "overdueEvents"`.execute(db)
  const [backlog] = rows
  if (backlog === undefined) throw new Error('invariant: an aggregate returns one row')
  return backlog
}
