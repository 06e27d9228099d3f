-- Uses a single insert to log all contacts that a statement creates, because POST /contacts/ creates many at a time.
create or replace function log_created_contacts() returns trigger language plpgsql as $$
begin
  insert into contact_change (workspace_id, contact_id, kind, fields, actor, import_id, at)
  select workspace_id, id, 'created', '{}', updated_by,
    case when updated_by ->> 'kind' = 'import' then (updated_by ->> 'id')::bigint end, created_at
  from created order by id;
  return null;
end $$;

drop trigger if exists contact_created on contact;
create trigger contact_created after insert on contact referencing new table as created
  for each statement execute function log_created_contacts();
