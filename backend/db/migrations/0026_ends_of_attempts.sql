-- Up Migration

-- Many attempts end at a time, and each increased `changes` of its campaign's row of campaign_queue, so that they waited
-- for each other and for the dialer that claims calls of the campaign. Now the end of an attempt only locks its campaign
-- in shared mode (an advisory lock), and updates the row if the campaign is at its limit. settle_campaigns takes the lock
-- exclusively before it decides that a campaign is at its limit:
--
-- - An end that has the lock isn't committed yet. settle_campaigns doesn't wait, and leaves the campaign in the queue.
-- - An end that comes later waits for the dialer's commit, and then sees that the campaign is at its limit.
create function attempt_end_lock(campaign bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('ends of attempts of campaign ' || campaign, 0);

-- The campaign can make another call, and other campaigns can call the number.
create or replace function enqueue_campaigns_of_attempt() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(attempt_end_lock(old.campaign_id));
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false, changes = changes + 1
  where campaign_id = old.campaign_id and at_limit;
  update campaign_queue set claim_at = clock_timestamp(), changes = changes + 1
  where campaign_id in (
      select campaign_id from call
      where call.workspace_id = old.workspace_id and to_number = old.to_number and status = 'queued' and not test
        and next_attempt_at <= clock_timestamp()
    )
    and not at_limit and claim_at > clock_timestamp();
  return null;
end $$;

-- As before, but for how it decides that a campaign is at its limit.
create or replace function settle_campaigns(campaign_ids bigint[], served_ids bigint[], at timestamptz) returns void
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
declare
  full_ids bigint[];
  idle_ids bigint[];
begin
  update campaign_queue set claim_at = clock_timestamp(), claimed_at = clock_timestamp()
  where campaign_id = any(served_ids);

  full_ids := array(
    select campaign.id
    from campaign
    join agent on agent.id = campaign.agent_id
    join phone_number on phone_number.id = campaign.phone_number_id
    where campaign.id = any(campaign_ids) and not (
      campaign.status = 'active' and agent.status = 'live' and phone_number.status = 'active'
      and campaign.max_concurrent_calls > (
        select count(*) from call_attempt
        where call_attempt.campaign_id = campaign.id and ended_at is null and not call_attempt.test
      )
    )
  );
  full_ids := array(select id from unnest(full_ids) as id where pg_try_advisory_xact_lock(attempt_end_lock(id)));
  -- Looks again, because attempts may have ended before the lock.
  update campaign_queue set claim_at = null, at_limit = checked.can_call
  from (
    select waiting.campaign_id, waiting.changes,
      campaign.status = 'active' and agent.status = 'live' and phone_number.status = 'active' as can_call,
      campaign.max_concurrent_calls > (
        select count(*) from call_attempt
        where call_attempt.campaign_id = campaign.id and ended_at is null and not call_attempt.test
      ) as has_capacity
    from campaign_queue as waiting
    join campaign on campaign.id = waiting.campaign_id
    join agent on agent.id = campaign.agent_id
    join phone_number on phone_number.id = campaign.phone_number_id
    where waiting.campaign_id = any(full_ids)
  ) as checked
  where campaign_queue.campaign_id = checked.campaign_id and campaign_queue.changes = checked.changes
    and not (can_call and has_capacity);

  -- Campaigns without a call that can be claimed now.
  idle_ids := array(
    select waiting.campaign_id
    from campaign_queue as waiting
    left join lateral (
      select true as found from call
      where call.campaign_id = waiting.campaign_id and status = 'queued' and not test and next_attempt_at <= at
        and not exists (
          select from call_attempt
          where call_attempt.workspace_id = call.workspace_id and call_attempt.to_number = call.to_number
            and call_attempt.ended_at is null and not call_attempt.test
        )
      limit 1
    ) as claimable on true
    where waiting.campaign_id = any(campaign_ids) and waiting.claim_at is not null and claimable.found is null
  );
  if cardinality(idle_ids) = 0 then return; end if;
  idle_ids := array(select id from campaign where id = any(idle_ids) order by id for update skip locked);
  -- Looks again, because calls may have been queued before the campaigns were locked.
  update campaign_queue set claim_at = checked.claim_at
  from (
    select waiting.campaign_id, waiting.changes,
      -- If all numbers that are due are being called, the end of such an attempt puts the campaign back in the queue.
      case when first.due_at <= at then clock_timestamp() + interval '1 second' else first.due_at end as claim_at
    from campaign_queue as waiting
    left join lateral (
      select next_attempt_at as due_at from call
      where call.campaign_id = waiting.campaign_id and status = 'queued' and not test
      order by next_attempt_at
      limit 1
    ) as first on true
    left join lateral (
      select true as found from call
      where call.campaign_id = waiting.campaign_id and status = 'queued' and not test and next_attempt_at <= at
        and not exists (
          select from call_attempt
          where call_attempt.workspace_id = call.workspace_id and call_attempt.to_number = call.to_number
            and call_attempt.ended_at is null and not call_attempt.test
        )
      limit 1
    ) as claimable on true
    where waiting.campaign_id = any(idle_ids) and claimable.found is null
  ) as checked
  where campaign_queue.campaign_id = checked.campaign_id and campaign_queue.changes = checked.changes;
end $$;
