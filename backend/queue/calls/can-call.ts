import type { WaitingFor } from '@outdial/contract'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { LimitingRule } from '../../platform/db/call-rules.ts'

// The rule "may this call be placed now", as SQL fragments for queries that select from call, campaign, agent, and
// phone_number. There are two other copies of the rule. platform/db/functions/settle_campaigns.sql has one, because database
// functions can't use these fragments. when-and-why.ts has one that decides for a single call and adds the time. A test
// compares what all three decide.

/** Matches a due call that isn't a test. The index `call_due` has this condition. */
export const isDue = (now: Date): RawBuilder<SqlBool> =>
  sql`call.status = 'queued' and not call.test and call.next_attempt_at <= ${now}`

/**
 * Matches attempts in progress, except those of test calls. They count toward the campaign's limit, and keep their numbers
 * busy.
 */
export const isLiveAttempt = sql<SqlBool>`call_attempt.ended_at is null and not call_attempt.test`

/** Matches a call whose number has a live attempt in the workspace. */
export const isNumberBusy = sql<SqlBool>`exists (
  select from call_attempt
  where call_attempt.workspace_id = call.workspace_id and call_attempt.to_number = call.to_number and ${isLiveAttempt}
)`

/** Matches if the campaign and its number are active, and its agent is Live. */
export const mayCampaignCall = sql<SqlBool>`
  campaign.status = 'active' and agent.status = 'live' and phone_number.status = 'active'`

const liveAttempts = sql`(
  select count(*) from call_attempt where call_attempt.campaign_id = campaign.id and ${isLiveAttempt}
)`

/**
 * Computes how many more calls the campaign can start. Not positive if it's at its limit.
 *
 * @param live the campaign's number of live attempts, if it has already been counted
 */
export const freeCapacity = (live: RawBuilder<unknown> = liveAttempts) =>
  sql<number>`(campaign.max_concurrent_calls - ${live})`

/** Selects why a queued call must wait until a later time; null if it's due. */
export const waitingForTime = (now: Date): RawBuilder<WaitingFor | null> => sql`
  case
    when call.due_at > ${now} then case when call.attempts > 0 then 'retry' else 'schedule' end
    when call.next_attempt_at > ${now} then coalesce(call.delayed_by, 'calling_hours')
  end`

/** Selects the limit that stops the campaign; null if there's none, or for a test call. */
export const limitedBy = (now: Date, test: RawBuilder<unknown>): RawBuilder<LimitingRule | null> => sql`(
  select limited_by from campaign_queue
  where campaign_queue.campaign_id = campaign.id and limited_until > ${now} and not ${test}
)`

/**
 * Selects what queued calls wait for; null if nothing delays them. Reasons that a person can resolve come first.
 *
 * @param calls.atCapacity evaluated only for calls that nothing else delays
 */
export const waitingForFirst = (calls: {
  time: RawBuilder<unknown>
  limited: RawBuilder<unknown>
  atCapacity: RawBuilder<unknown>
}): RawBuilder<WaitingFor | null> => sql`
  case
    when campaign.status = 'paused' then 'campaign_paused'
    when agent.status <> 'live' then 'agent_not_live'
    when phone_number.status <> 'active' then 'number_not_active'
    else coalesce(${calls.time}, ${calls.limited}, case when ${calls.atCapacity} then 'concurrency' end)
  end`

/** Selects what a call waits for; null if nothing delays it, or it isn't queued. */
export const waitingFor = (now: Date) => {
  const atCapacity = sql`not call.test and (${isNumberBusy} or ${freeCapacity()} <= 0)`
  const limited = limitedBy(now, sql`call.test`)
  const first = waitingForFirst({ time: waitingForTime(now), limited, atCapacity })
  return sql<WaitingFor | null>`case when call.status = 'queued' then ${first} end`.as('waiting_for')
}
