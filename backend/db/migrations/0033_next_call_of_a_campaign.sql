-- Up Migration

-- As before, but it finds the next call of a campaign that waits in the index. `order by next_attempt_at` meant the
-- selected value, which PostgreSQL names next_attempt_at, too. So all queued calls of the campaign were read and sorted.
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
    order by call.next_attempt_at
    limit 1
  )
  where campaign_id = any(idle_ids) and not has_claimable_call(campaign_id, at);
end $$;
