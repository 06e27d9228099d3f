/**
 * Claims up to 50 calls and starts their attempts, with one statement. It doesn't share the claims fairly, count the
 * campaigns' capacity, or check calling hours and the do-not-call list.
 */
export const claimStatement = `
  with due as (
    select call.* from call
    where campaign_id = any($1) and status = 'queued' and not test and next_attempt_at <= $2
    order by next_attempt_at, id
    limit 50
    for no key update skip locked
  ), started as (
    insert into call_attempt (
      workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at,
      dialed_with
    )
    select workspace_id, id, campaign_id, attempts + 1, to_number, test, 'simulated', $3,
      clock_timestamp() + interval '30 seconds', $2,
      '{"local_times": {"America/New_York": "2026-05-04T10:02:00-04:00"}}'
    from due
    on conflict (workspace_id, to_number) where ended_at is null and not test do nothing
    returning id, fence, call_id
  ), dialing as (
    -- Not a join, which would be planned by the calls of earlier attempts.
    update call set status = 'dialing', attempts = attempts + 1, next_attempt_at = null
    where id = any(array(select call_id from started))
  )
  select started.id as attempt, started.fence, due.* from started join due on due.id = started.call_id`
