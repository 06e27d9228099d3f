const startedAttempts = `
    insert into call_attempt (
      workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at,
      dialed_with
    )
    select workspace_id, id, campaign_id, attempts + 1, to_number, test, 'simulated', $3,
      clock_timestamp() + interval '30 seconds', $2,
      '{"local_times": {"America/New_York": "2026-05-04T10:02:00-04:00"}}'
    from due
    on conflict (workspace_id, to_number) where ended_at is null and not test do nothing
    returning id, fence, call_id`

const dialingCalls = `
    -- This isn't a join, because PostgreSQL would plan a join for the IDs of earlier attempts, and could read all calls with
    -- lower IDs.
    update call set status = 'dialing', attempts = attempts + 1, next_attempt_at = null
    where id = any(array(select call_id from started))`

/**
 * A statement that claims up to 50 calls and starts their attempts. It doesn't share the claims fairly, count the campaigns'
 * capacity, or check calling hours and the do-not-call list.
 */
export const claimStatement = `
  with due as (
    select call.* from call
    where campaign_id = any($1) and status = 'queued' and not test and next_attempt_at <= $2
    order by next_attempt_at, id
    limit 50
    for no key update skip locked
  ), started as (${startedAttempts}
  ), dialing as (${dialingCalls}
  )
  select started.id as attempt, started.fence, due.* from started join due on due.id = started.call_id`

/**
 * A statement that claims up to 50 calls of one campaign with the dialer's checks. It locks the campaign, counts its capacity,
 * skips numbers that are being called, and checks the status of agent and number, calling hours, and the do-not-call list. It
 * also reads the values for dial requests, and schedules the campaign's next turn.
 */
export const checkedClaimStatement = `
  with locked as materialized (
    select id, name, agent_id, phone_number_id, calling_hours, time_zone, max_concurrent_calls from campaign
    where id = $1 and status = 'active'
    for no key update skip locked
  ), waiting as materialized (
    select call.* from call
    where campaign_id = (select id from locked) and status = 'queued' and not test and next_attempt_at <= $2
      and not exists (
        select from call_attempt
        where workspace_id = call.workspace_id and to_number = call.to_number and ended_at is null and not test
      )
    order by next_attempt_at, id
    limit least(50, (select max_concurrent_calls from locked) - (
      select count(*) from call_attempt where campaign_id = $1 and ended_at is null and not test
    ))
    for no key update skip locked
  ), due as materialized (
    select waiting.*, locked.name as campaign_name, agent.widget_id, agent.name as agent_name, agent.language,
      agent.greeting, contact.first_name, contact.last_name, contact.variables
    from waiting
    cross join locked
    join agent on agent.id = locked.agent_id and agent.status = 'live'
    join phone_number on phone_number.id = locked.phone_number_id and phone_number.status = 'active'
    join contact on contact.id = waiting.contact_id
    cross join lateral (
      select $2::timestamptz at time zone coalesce(contact.time_zone, locked.time_zone) as now
    ) as local
    where not is_listed(waiting.workspace_id, waiting.to_number)
      and locked.calling_hours -> 'days' ? lower(to_char(local.now, 'dy'))
      and local.now::time >= (locked.calling_hours ->> 'start')::time
      and local.now::time < (locked.calling_hours ->> 'end')::time
  ), started as (${startedAttempts}
  ), dialing as (${dialingCalls}
  ), next_turn as (
    update campaign_queue set claim_at = clock_timestamp(), claimed_at = clock_timestamp() where campaign_id = $1
  )
  select started.id as attempt, started.fence, due.* from started join due on due.id = started.call_id`
