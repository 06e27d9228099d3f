-- Logs what a statement changes about a contact. This is a trigger, because a trigger gets the old row with all changes that
-- were committed before, and the service doesn't have to send another statement.
create or replace function log_contact_change() returns trigger language plpgsql as $$
declare
  changed text[];
  old_values jsonb := '{}';
  new_values jsonb := '{}';
  old_row jsonb;
  new_row jsonb;
  column_name text;
  change bigint;
begin
  old_row := to_jsonb(old);
  new_row := to_jsonb(new);
  foreach column_name in array array[
    'first_name', 'last_name', 'email', 'external_id', 'time_zone', 'consent_source', 'consent_at', 'consent_kind'
  ] loop
    if old_row -> column_name is distinct from new_row -> column_name then
      changed := changed || column_name;
      old_values := old_values || jsonb_build_object(column_name, old_row -> column_name);
      new_values := new_values || jsonb_build_object(column_name, new_row -> column_name);
    end if;
  end loop;
  -- If a part of the consent changed, logs all of it, because undoing an import restores a consent only as a whole.
  if changed && array['consent_source', 'consent_at', 'consent_kind'] then
    foreach column_name in array array['consent_source', 'consent_at', 'consent_kind'] loop
      old_values := old_values || jsonb_build_object(column_name, old_row -> column_name);
      new_values := new_values || jsonb_build_object(column_name, new_row -> column_name);
    end loop;
  end if;
  if old.variables is distinct from new.variables then
    changed := changed || 'variables'::text;
    -- Logs only the variables that changed.
    old_values := old_values || jsonb_build_object('variables', (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(old.variables)
      where value is distinct from new.variables -> key));
    new_values := new_values || jsonb_build_object('variables', (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(new.variables)
      where value is distinct from old.variables -> key));
  end if;
  if changed is null then return null; end if;
  insert into contact_change (workspace_id, contact_id, kind, fields, actor, import_id, at)
  values (
    new.workspace_id, new.id, 'updated', changed, new.updated_by,
    case when new.updated_by ->> 'kind' = 'import' then (new.updated_by ->> 'id')::bigint end, new.updated_at
  )
  returning id into change;
  insert into contact_change_values (change_id, contact_id, old_values, new_values)
  values (change, new.id, old_values, new_values);
  return null;
end $$;

-- Erasing a contact isn't logged.
drop trigger if exists contact_updated on contact;
create trigger contact_updated after update on contact for each row
  when (new.erased_at is null) execute function log_contact_change();
