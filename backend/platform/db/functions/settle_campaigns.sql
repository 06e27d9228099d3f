-- The first three functions decide whether a campaign may call. They're in PL/pgSQL, so that a connection plans them only once.
-- The planner settings for them are in settle_campaigns, which calls them.

-- Returns true if the campaign, its agent, and its number are active.
create or replace function is_calling(checked_campaign_id bigint) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from campaign
    join agent on agent.id = campaign.agent_id
    join phone_number on phone_number.id = campaign.phone_number_id
    where campaign.id = checked_campaign_id
      and campaign.status = 'active' and agent.status = 'live' and phone_number.status = 'active'
  );
end $$;

-- Returns true if the campaign can start another call.
create or replace function has_capacity(checked_campaign_id bigint) returns boolean language plpgsql stable as $$
begin
  return is_calling(checked_campaign_id) and (
    select max_concurrent_calls from campaign where id = checked_campaign_id
  ) > (
    select count(*) from call_attempt where campaign_id = checked_campaign_id and ended_at is null and not test
  );
end $$;

-- Returns true if a call of the campaign is due, and its number isn't being called.
create or replace function has_claimable_call(checked_campaign_id bigint, at timestamptz) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from call
    where call.campaign_id = checked_campaign_id and status = 'queued' and not test and next_attempt_at <= at
      and not exists (
        select from call_attempt
        where call_attempt.workspace_id = call.workspace_id and call_attempt.to_number = call.to_number
          and call_attempt.ended_at is null and not call_attempt.test
      )
  );
end $$;

-- Decides when campaigns get their next turn, after the dialer has claimed calls of them. The campaigns in `served_ids` have
-- had their turn, so they go to the end of the queue.
--
-- A transaction that queues a call, or ends an attempt, writes to its campaign's row of campaign_queue only if the campaign
-- isn't in the queue. Just before its commit, it takes an advisory lock of the campaign in shared mode (queued_call_lock,
-- attempt_end_lock), and then reads the row. Before this function takes a campaign out of the queue or postpones its turn,
-- because it has no capacity or no call to claim, it takes the same lock exclusively, without waiting:
--
-- - If another transaction has the lock, its changes aren't visible yet. The campaign stays in the queue.
-- - If another transaction wants the lock later, it waits for the commit of this function's transaction. It then sees that the
--   campaign has left the queue, and puts it back.
--
-- Transactions that change a campaign, its agent, or its number so that it can call always write to the campaign's row. This
-- function locks the row before it reads the campaign, agent, and number. It locks rows in the order of campaign IDs, and
-- skips rows that another transaction has locked.
create or replace function settle_campaigns(campaign_ids bigint[], served_ids bigint[], at timestamptz) returns void
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
declare
  settled_ids bigint[];
  full_ids bigint[];
  idle_ids bigint[];
begin
  -- Skips rows that another transaction has locked, because that transaction decides when the campaign's next turn comes.
  settled_ids := array(
    select campaign_id from campaign_queue where campaign_id = any(campaign_ids)
    order by campaign_id
    for no key update skip locked
  );
  update campaign_queue set claim_at = clock_timestamp(), claimed_at = clock_timestamp()
  where campaign_id = any(settled_ids) and campaign_id = any(served_ids);

  full_ids := array(select id from unnest(settled_ids) as id where not has_capacity(id));
  full_ids := array(select id from unnest(full_ids) as id where pg_try_advisory_xact_lock(attempt_end_lock(id)));
  -- Checks the capacity again, because attempts may have ended before this transaction got the lock.
  update campaign_queue set claim_at = null, at_limit = is_calling(campaign_id)
  where campaign_id = any(full_ids) and not has_capacity(campaign_id);

  idle_ids := array(
    select campaign_id from campaign_queue
    where campaign_id = any(settled_ids) and claim_at is not null and not has_claimable_call(campaign_id, at)
  );
  idle_ids := array(select id from unnest(idle_ids) as id where pg_try_advisory_xact_lock(queued_call_lock(id)));
  -- Checks for calls again, because calls may have been queued before this transaction got the lock.
  update campaign_queue set claim_at = (
    -- Due calls of these campaigns are to numbers that are being called. The campaign tries again a second later.
    select case when next_attempt_at <= at then clock_timestamp() + interval '1 second' else next_attempt_at end
    from call
    where call.campaign_id = campaign_queue.campaign_id and status = 'queued' and not test
    -- The prefix `call.` is needed. PostgreSQL also names the selected value next_attempt_at, and no index has its order.
    order by call.next_attempt_at
    limit 1
  )
  where campaign_id = any(idle_ids) and not has_claimable_call(campaign_id, at);
end $$;
