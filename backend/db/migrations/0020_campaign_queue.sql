-- Up Migration

-- Which campaigns may have a call to claim, and since when, so that a claim costs the same with any number of campaigns
-- and calls. Triggers maintain it, because versions of the service that don't know it can run at the same time.
--
-- claim_at is never later than the time when a call of the campaign can be claimed. Making it earlier is always safe,
-- because the next claim looks and corrects it. Only settle_campaigns makes it later. It must not miss a change that
-- isn't committed yet:
--
-- - Changes of a campaign, its agent, and its number, and the end of an attempt increase `changes`. Then the update of
--   settle_campaigns finds another value than it has read, and does nothing.
-- - Queueing a call doesn't, because many transactions at a time would wait for this row. They hold a key-share lock on
--   the campaign until they end. So settle_campaigns locks the campaign FOR UPDATE, without waiting, before it looks.
create table campaign_queue (
  campaign_id bigint primary key references campaign on delete cascade,
  workspace_id bigint not null references workspace on delete cascade,
  -- When the campaign's turn comes: the earlier, the sooner. Null if it has no call to claim.
  claim_at timestamptz,
  -- The campaign is at its limit. The end of one of its attempts puts it in the queue again.
  at_limit boolean not null default false,
  -- Increases when a change puts the campaign in the queue, so that settle_campaigns notices it.
  changes bigint not null default 0,
  -- Its last turn, by the database's clock.
  claimed_at timestamptz
) with (fillfactor = 70);
-- Who is next.
create index campaign_queue_next on campaign_queue (claim_at) where claim_at is not null;
-- When a workspace had its last turn.
create index campaign_queue_workspace on campaign_queue (workspace_id, claimed_at);
call protect_table('campaign_queue');

insert into campaign_queue (campaign_id, workspace_id, claim_at, claimed_at)
select id, workspace_id, case when status = 'active' then clock_timestamp() end, claimed_at from campaign;

-- The triggers are deferred to the end of the transaction. So they lock rows of campaign_queue after all others, and the
-- order of locks doesn't depend on what the transaction does first.

create function enqueue_campaign() returns trigger language plpgsql as $$
begin
  insert into campaign_queue (campaign_id, workspace_id, claim_at) values (new.id, new.workspace_id, clock_timestamp())
  on conflict (campaign_id) do update
    set claim_at = clock_timestamp(), at_limit = false, changes = campaign_queue.changes + 1;
  return null;
end $$;
create constraint trigger campaign_created after insert on campaign deferrable initially deferred
  for each row execute function enqueue_campaign();
create constraint trigger campaign_can_call after update on campaign deferrable initially deferred
  for each row when (
    new.status = 'active' and (old.status, old.max_concurrent_calls, old.agent_id, old.phone_number_id)
      is distinct from (new.status, new.max_concurrent_calls, new.agent_id, new.phone_number_id)
  ) execute function enqueue_campaign();

create function enqueue_campaigns_of_agent() returns trigger language plpgsql as $$
begin
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false, changes = changes + 1
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id);
  return null;
end $$;
create constraint trigger agent_goes_live after update on agent deferrable initially deferred
  for each row when (new.status = 'live' and old.status <> 'live') execute function enqueue_campaigns_of_agent();

create function enqueue_campaigns_of_number() returns trigger language plpgsql as $$
begin
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false, changes = changes + 1
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id);
  return null;
end $$;
create constraint trigger number_becomes_active after update on phone_number deferrable initially deferred
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function enqueue_campaigns_of_number();

-- A campaign at its limit stays out of the queue until one of its attempts ends.
create function enqueue_campaign_of_call() returns trigger language plpgsql as $$
begin
  update campaign_queue set claim_at = new.next_attempt_at, changes = changes + 1
  where campaign_id = new.campaign_id and not at_limit and (claim_at is null or claim_at > new.next_attempt_at);
  return null;
end $$;
create constraint trigger call_queued_for_campaign after insert on call deferrable initially deferred
  for each row when (new.status = 'queued' and not new.test) execute function enqueue_campaign_of_call();
create constraint trigger call_moved_earlier after update on call deferrable initially deferred
  for each row when (
    new.status = 'queued' and not new.test
    and (old.status <> 'queued' or old.test or new.next_attempt_at < old.next_attempt_at)
  ) execute function enqueue_campaign_of_call();

-- The campaign can make another call, and other campaigns can call the number.
create function enqueue_campaigns_of_attempt() returns trigger language plpgsql as $$
begin
  update campaign_queue set claim_at = case when at_limit then clock_timestamp() else claim_at end, at_limit = false,
    changes = changes + 1
  where campaign_id = old.campaign_id;
  update campaign_queue set claim_at = clock_timestamp(), changes = changes + 1
  where campaign_id in (
      select campaign_id from call
      where call.workspace_id = old.workspace_id and to_number = old.to_number and status = 'queued' and not test
        and next_attempt_at <= clock_timestamp()
    )
    and not at_limit and claim_at > clock_timestamp();
  return null;
end $$;
create constraint trigger call_attempt_ended after update on call_attempt deferrable initially deferred
  for each row when (old.ended_at is null and new.ended_at is not null and not old.test)
  execute function enqueue_campaigns_of_attempt();
create constraint trigger call_attempt_deleted after delete on call_attempt deferrable initially deferred
  for each row when (old.ended_at is null and not old.test) execute function enqueue_campaigns_of_attempt();

-- Decides when the next turn of campaigns comes, at the end of a transaction that has locked them to claim their calls.
-- `served_ids` have had their turn and go to the end of the queue.
create function settle_campaigns(campaign_ids bigint[], served_ids bigint[], at timestamptz) returns void
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
declare
  idle_ids bigint[];
begin
  update campaign_queue set claim_at = clock_timestamp(), claimed_at = clock_timestamp()
  where campaign_id = any(served_ids);

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
    where waiting.campaign_id = any(campaign_ids)
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
