-- The first three functions are the rule "may this campaign call" in the database. They're in PL/pgSQL, so that a connection
-- plans them only once. settle_campaigns, which calls them, sets which plans are allowed.

-- True if the campaign, its agent, and its number are active.
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

-- True if the campaign can start another call.
create or replace function has_capacity(checked_campaign_id bigint) returns boolean language plpgsql stable as $$
begin
  return is_calling(checked_campaign_id) and (
    select max_concurrent_calls from campaign where id = checked_campaign_id
  ) > (
    select count(*) from call_attempt where campaign_id = checked_campaign_id and ended_at is null and not test
  );
end $$;

-- True if a call of the campaign is due, and its number isn't being called.
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

-- Decides when the next turn of campaigns comes, at the end of a transaction that has locked them to claim their calls.
-- `served_ids` have had their turn and go to the end of the queue.
--
-- A transaction that queues a call, or ends an attempt, writes to its campaign's row of campaign_queue only if the campaign
-- isn't in the queue. Before it looks, at its end, it takes an advisory lock of the campaign in shared mode
-- (queued_call_lock, attempt_end_lock). This function takes the same lock exclusively, without waiting, before it decides
-- that the campaign has no call to claim, or is at its limit:
--
-- - If another transaction has the lock, what it did isn't visible yet. The campaign stays in the queue.
-- - A transaction that comes later waits for the dialer's commit, sees that the campaign has left the queue, and puts it
--   back.
--
-- Changes of a campaign, its agent, and its number always write to the row, which this function locks before it looks.
-- Rows of campaign_queue are locked in the order of their IDs. Where that's impossible, locked rows are skipped.
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
  -- A row that another transaction has locked is being put in the queue, so it's left as it is.
  settled_ids := array(
    select campaign_id from campaign_queue where campaign_id = any(campaign_ids)
    order by campaign_id
    for no key update skip locked
  );
  update campaign_queue set claim_at = clock_timestamp(), claimed_at = clock_timestamp()
  where campaign_id = any(settled_ids) and campaign_id = any(served_ids);

  full_ids := array(select id from unnest(settled_ids) as id where not has_capacity(id));
  full_ids := array(select id from unnest(full_ids) as id where pg_try_advisory_xact_lock(attempt_end_lock(id)));
  -- Looks again, because attempts may have ended before the lock.
  update campaign_queue set claim_at = null, at_limit = is_calling(campaign_id)
  where campaign_id = any(full_ids) and not has_capacity(campaign_id);

  idle_ids := array(
    select campaign_id from campaign_queue
    where campaign_id = any(settled_ids) and claim_at is not null and not has_claimable_call(campaign_id, at)
  );
  idle_ids := array(select id from unnest(idle_ids) as id where pg_try_advisory_xact_lock(queued_call_lock(id)));
  -- Looks again, because calls may have been queued before the lock.
  update campaign_queue set claim_at = (
    -- If all numbers that are due are being called, the end of such an attempt puts the campaign back in the queue.
    select case when next_attempt_at <= at then clock_timestamp() + interval '1 second' else next_attempt_at end
    from call
    where call.campaign_id = campaign_queue.campaign_id and status = 'queued' and not test
    -- Not the selected value, which PostgreSQL names next_attempt_at, too: no index has its order.
    order by call.next_attempt_at
    limit 1
  )
  where campaign_id = any(idle_ids) and not has_claimable_call(campaign_id, at);
end $$;
