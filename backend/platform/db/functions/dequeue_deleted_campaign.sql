-- Deletes a deleted campaign's row of campaign_queue, as a foreign key would. Migration 0102 says why campaign_queue has no
-- foreign key to the campaign.
create or replace function dequeue_deleted_campaign() returns trigger language plpgsql as $$
begin
  delete from campaign_queue where campaign_id = old.id;
  return null;
end $$;

drop trigger if exists campaign_deleted on campaign;
create trigger campaign_deleted after delete on campaign for each row execute function dequeue_deleted_campaign();
