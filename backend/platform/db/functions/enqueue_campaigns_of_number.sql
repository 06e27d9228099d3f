-- Puts the campaigns that call from a number in the queue when the number becomes active.
create or replace function enqueue_campaigns_of_number() returns trigger language plpgsql as $$
begin
  perform campaign_id from campaign_queue
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id)
  order by campaign_id
  for no key update;
  update campaign_queue
  set claim_at = clock_timestamp(), at_limit = false, limited_until = null, limited_by = null
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id);
  return null;
end $$;

drop trigger if exists number_becomes_active on phone_number;
create constraint trigger number_becomes_active after update on phone_number deferrable initially deferred
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function enqueue_campaigns_of_number();
