-- Up Migration

-- What a call was made with ----------------------------------------------------------------------------

alter table call
  -- Who or what queued it: {kind, id, call_id, user_id, name}. Null for calls from before this was stored. `name` is
  -- the name of an imported file. Erasing the contact removes it, because it's free text.
  add column origin jsonb,
  -- The settings that were in effect when it was queued: those of its campaign, agent, and contact.
  add column queued_with jsonb,
  -- The contact as it was when the call's event was written, as the API shows it. Null until then, and after the
  -- contact was erased.
  add column completed_contact jsonb;

-- The settings that had changed since the call was queued, the time zone that decided, and the local time.
alter table call_attempt add column dialed_with jsonb;

-- The events of older calls have the contact as it was.
update call set completed_contact = event.body::jsonb -> 'data' -> 'contact'
from event, contact
where event.call_id = call.id and event.type = 'call.completed' and call.status = 'completed'
  and contact.id = call.contact_id and contact.erased_at is null;

-- The history of contacts ------------------------------------------------------------------------------

-- Who last changed the contact: {kind, id, call_id, user_id, name}, like the origin of a call.
alter table contact add column updated_by jsonb;

-- Each change of a contact, without the values. It stays when the contact is erased.
create table contact_change (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  contact_id bigint not null,
  kind text not null check (kind in ('created', 'updated')),
  -- The columns that changed.
  fields text[] not null,
  actor jsonb,
  at timestamptz not null,
  foreign key (workspace_id, contact_id) references contact (workspace_id, id) on delete cascade
);
create index contact_change_of_contact on contact_change (contact_id, id desc);

-- The values of a change, by column. Deleted when the contact is erased.
create table contact_change_values (
  change_id bigint primary key references contact_change on delete cascade,
  contact_id bigint not null,
  old_values jsonb not null,
  new_values jsonb not null
);
create index contact_change_values_of_contact on contact_change_values (contact_id);

-- A trigger sees the old row as it is after concurrent changes, and needs no further statement.
create function log_contact_change() returns trigger language plpgsql as $$
declare
  changed text[];
  old_values jsonb := '{}';
  new_values jsonb := '{}';
  old_row jsonb;
  new_row jsonb;
  column_name text;
  change bigint;
begin
  if tg_op = 'INSERT' then
    insert into contact_change (workspace_id, contact_id, kind, fields, actor, at)
    values (new.workspace_id, new.id, 'created', '{}', new.updated_by, new.created_at);
    return null;
  end if;
  old_row := to_jsonb(old);
  new_row := to_jsonb(new);
  foreach column_name in array array[
    'first_name', 'last_name', 'email', 'external_id', 'time_zone', 'consent_source', 'consent_at'
  ] loop
    if old_row -> column_name is distinct from new_row -> column_name then
      changed := changed || column_name;
      old_values := old_values || jsonb_build_object(column_name, old_row -> column_name);
      new_values := new_values || jsonb_build_object(column_name, new_row -> column_name);
    end if;
  end loop;
  if old.variables is distinct from new.variables then
    changed := changed || 'variables'::text;
    -- Only the variables that changed.
    old_values := old_values || jsonb_build_object('variables', (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(old.variables)
      where value is distinct from new.variables -> key));
    new_values := new_values || jsonb_build_object('variables', (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(new.variables)
      where value is distinct from old.variables -> key));
  end if;
  if changed is null then return null; end if;
  insert into contact_change (workspace_id, contact_id, kind, fields, actor, at)
  values (new.workspace_id, new.id, 'updated', changed, new.updated_by, new.updated_at)
  returning id into change;
  insert into contact_change_values (change_id, contact_id, old_values, new_values)
  values (change, new.id, old_values, new_values);
  return null;
end $$;

create trigger contact_created after insert on contact for each row execute function log_contact_change();
-- Not when it's erased.
create trigger contact_updated after update on contact for each row
  when (new.erased_at is null) execute function log_contact_change();
