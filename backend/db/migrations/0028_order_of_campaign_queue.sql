-- Up Migration

-- How a dialer that takes a campaign out of the queue (settle_campaigns) and the transactions that put it back can't miss
-- each other. This replaces what migrations 0020 and 0026 say.
--
-- A transaction that queues a call, or ends an attempt, writes to its campaign's row of campaign_queue only if the campaign
-- isn't in the queue. Before it looks, at its end, it takes an advisory lock of the campaign in shared mode. settle_campaigns
-- takes the same lock exclusively, without waiting, before it decides that the campaign has no call to claim, or is at its
-- limit:
--
-- - If another transaction has the lock, what it did isn't visible yet. The campaign stays in the queue.
-- - A transaction that comes later waits for the dialer's commit, sees that the campaign has left the queue, and puts it
--   back.
--
-- Until now, settle_campaigns locked the campaign's row instead, which the requests that queue calls have locked all the
-- time. Requests that arrived during a claim found it locked, and each needed a transaction of its own.
--
-- Changes of a campaign, its agent, and its number always write to the row. settle_campaigns locks it before it looks, so
-- the column `changes` isn't used anymore.
--
-- Rows of campaign_queue are locked in the order of their IDs. Where that's impossible, locked rows are skipped.

create function queued_call_lock(campaign bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('queued calls of campaign ' || campaign::text, 0);

-- A campaign at its limit stays out of the queue until one of its attempts ends.
create or replace function enqueue_campaign_of_call() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(queued_call_lock(new.campaign_id));
  update campaign_queue set claim_at = new.next_attempt_at
  where campaign_id = new.campaign_id and not at_limit
    -- If it's already in the queue, it stays where it is.
    and (claim_at is null or claim_at > greatest(new.next_attempt_at, clock_timestamp()));
  return null;
end $$;

-- The campaign can make another call, and other campaigns can call the number.
create or replace function enqueue_campaigns_of_attempt() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(attempt_end_lock(old.campaign_id));
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false
  where campaign_id = old.campaign_id and at_limit;
  -- Without this, the other campaigns have their turn a second later. So rows that are locked are skipped.
  update campaign_queue set claim_at = clock_timestamp()
  where campaign_id in (
    select campaign_id from campaign_queue
    where campaign_id in (
        select campaign_id from call
        where call.workspace_id = old.workspace_id and to_number = old.to_number and status = 'queued' and not test
          and next_attempt_at <= clock_timestamp()
      )
      and not at_limit and claim_at > clock_timestamp()
    for no key update skip locked
  );
  return null;
end $$;

create or replace function enqueue_campaign() returns trigger language plpgsql as $$
begin
  insert into campaign_queue (campaign_id, workspace_id, claim_at) values (new.id, new.workspace_id, clock_timestamp())
  on conflict (campaign_id) do update set claim_at = clock_timestamp(), at_limit = false;
  return null;
end $$;

create or replace function enqueue_campaigns_of_agent() returns trigger language plpgsql as $$
begin
  perform campaign_id from campaign_queue
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id)
  order by campaign_id
  for no key update;
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id);
  return null;
end $$;

create or replace function enqueue_campaigns_of_number() returns trigger language plpgsql as $$
begin
  perform campaign_id from campaign_queue
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id)
  order by campaign_id
  for no key update;
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id);
  return null;
end $$;

-- The following three functions are in PL/pgSQL, so that a connection plans them only once. settle_campaigns, which calls
-- them, sets which plans are allowed.

-- True if the campaign, its agent, and its number are active.
create function is_calling(checked_campaign_id bigint) returns boolean language plpgsql stable as $$
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
create function has_capacity(checked_campaign_id bigint) returns boolean language plpgsql stable as $$
begin
  return is_calling(checked_campaign_id) and (
    select max_concurrent_calls from campaign where id = checked_campaign_id
  ) > (
    select count(*) from call_attempt where campaign_id = checked_campaign_id and ended_at is null and not test
  );
end $$;

-- True if a call of the campaign is due, and its number isn't being called.
create function has_claimable_call(checked_campaign_id bigint, at timestamptz) returns boolean
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
    order by next_attempt_at
    limit 1
  )
  where campaign_id = any(idle_ids) and not has_claimable_call(campaign_id, at);
end $$;

-- As before, but it inserts calls in another order.
create or replace function queue_calls(workspace bigint, at timestamptz, calls call_request[])
  returns setof queued_call
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
#variable_conflict use_column
declare
  done queued_call[];
begin
  while cardinality(calls) > 0 loop
    done := array(
      select row(item, first_open.id, false)::queued_call
      from unnest(calls) as request
      cross join lateral (
        select id from call
        where call.workspace_id = workspace and call.campaign_id = request.campaign_id
          and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
        order by id
        limit 1
      ) as first_open
      where not request.additional
    );
    return query select * from unnest(done);
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );

    with inserted as (
      insert into call (
        workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number, test, additional,
        scheduled_at, queued_at, due_at, next_attempt_at, metadata, origin, queued_with
      )
      select workspace, request.campaign_id, request.contact_id, made_with.agent_id, made_with.phone_number_id,
        made_with.from_number, made_with.to_number, request.test,
        request.additional and (
          select count(*) > 0 from (
            select from call
            where call.workspace_id = workspace and call.campaign_id = request.campaign_id
              and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
              and not call.additional
            limit 1
          ) as open_call
        ),
        request.scheduled_at, at, request.due_at, request.next_attempt_at, request.metadata, request.origin,
        made_with.settings || request.zones
      from unnest(calls) as request
      cross join lateral (
        select call_settings(campaign, agent, contact) as settings, campaign.agent_id, campaign.phone_number_id,
          phone_number.phone_number as from_number, contact.phone_number as to_number
        from campaign
        join agent on agent.workspace_id = workspace and agent.id = campaign.agent_id
        join phone_number on phone_number.workspace_id = workspace and phone_number.id = campaign.phone_number_id
        join contact on contact.workspace_id = workspace and contact.id = request.contact_id
        where campaign.workspace_id = workspace and campaign.id = request.campaign_id
        limit 1
      ) as made_with
      -- The order in which the transaction's deferred triggers lock rows of campaign_queue, so that two can't deadlock.
      order by request.campaign_id, request.item
      on conflict do nothing
      returning id, contact_id
    )
    select coalesce(array_agg(row(item, inserted.id, true)::queued_call), '{}') into done
    from inserted join unnest(calls) as request on request.contact_id = inserted.contact_id;
    return query select * from unnest(done);
    -- If another transaction, which hadn't locked the contact, was first, its call is visible now.
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );
  end loop;
end $$;

-- Waits for transactions that have put a campaign in the queue in the former way, because settle_campaigns doesn't see them.
-- Those that follow use these functions.
lock table call in share row exclusive mode;
