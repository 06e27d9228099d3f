-- Does what a foreign key of campaign_queue would do. Migration 0102 says why it has none.
create or replace function dequeue_deleted_campaign() returns trigger language plpgsql as $$
begin
  delete from campaign_queue where campaign_id = old.id;
  return null;
end $$;

drop trigger if exists campaign_deleted on campaign;
create trigger campaign_deleted after delete on campaign for each row execute function dequeue_deleted_campaign();
