-- Puts a campaign in the queue when it's created, or when a change lets it call.
create or replace function enqueue_campaign() returns trigger language plpgsql as $$
begin
  insert into campaign_queue (campaign_id, workspace_id, claim_at) values (new.id, new.workspace_id, clock_timestamp())
  on conflict (campaign_id) do update
  set claim_at = clock_timestamp(), at_limit = false, limited_until = null, limited_by = null;
  return null;
end $$;

-- All triggers that put campaigns in the queue are deferred to the end of the transaction. So they lock rows of
-- campaign_queue after rows of all other tables, and the order of locks doesn't depend on what the transaction does first.
drop trigger if exists campaign_created on campaign;
create constraint trigger campaign_created after insert on campaign deferrable initially deferred
  for each row execute function enqueue_campaign();
drop trigger if exists campaign_can_call on campaign;
create constraint trigger campaign_can_call after update on campaign deferrable initially deferred
  for each row when (
    new.status = 'active' and (old.status, old.max_concurrent_calls, old.agent_id, old.phone_number_id)
      is distinct from (new.status, new.max_concurrent_calls, new.agent_id, new.phone_number_id)
  ) execute function enqueue_campaign();
