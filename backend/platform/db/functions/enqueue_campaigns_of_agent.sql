-- Puts an agent's campaigns in the queue when the agent goes live.
create or replace function enqueue_campaigns_of_agent() returns trigger language plpgsql as $$
begin
  perform campaign_id from campaign_queue
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id)
  order by campaign_id
  for no key update;
  update campaign_queue
  set claim_at = clock_timestamp(), at_limit = false, limited_until = null, limited_by = null
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id);
  return null;
end $$;

drop trigger if exists agent_goes_live on agent;
create constraint trigger agent_goes_live after update on agent deferrable initially deferred
  for each row when (new.status = 'live' and old.status <> 'live') execute function enqueue_campaigns_of_agent();
