-- Up Migration

-- A transaction that updates a row of campaign_queue twice, as settle_campaigns does, checked the foreign key again, which
-- locks the campaign. That was against the order of locks (db/locks.ts): an edit locks the campaign first, and its row of
-- campaign_queue at the commit. So the two could deadlock, and edits of campaigns that were making calls failed.
alter table campaign_queue drop constraint campaign_queue_campaign_id_fkey;

-- What the foreign key did.
create function dequeue_deleted_campaign() returns trigger language plpgsql as $$
begin
  delete from campaign_queue where campaign_id = old.id;
  return null;
end $$;
create trigger campaign_deleted after delete on campaign for each row execute function dequeue_deleted_campaign();
