-- Locks numbers, then the contacts that have them, and returns what requests for these contacts depend on. Each statement sees
-- what was committed while the previous statement waited for locks. With `waits`, pass only one number: several would be locked
-- in any order, so two transactions could deadlock. For the planner settings, see upsert_contacts.
--
--   contact_id      null if no contact has the number
--   is_busy         true if another transaction has locked the number or the contact. Never true with `waits`.
--   variable_names  null unless with_variables is true
--   is_listed       true if the number is on the do-not-call list
create or replace function lock_contacts(workspace bigint, numbers text[], with_variables boolean[], waits boolean)
  returns table (
    phone_number text, contact_id bigint, is_busy boolean, time_zone text, variable_names text[], is_listed boolean
  )
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_column
declare
  locked_numbers text[] := numbers;
  locked_ids bigint[];
  salt bytea := (select number_salt from workspace as salted where salted.id = lock_contacts.workspace);
begin
  if waits then
    perform pg_advisory_xact_lock(contact_lock(workspace, wanted)) from unnest(numbers) as wanted;
    locked_ids := array(
      select contact.id
      from unnest(numbers) as wanted (phone_number)
      cross join lateral (
        select id from contact
        where workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
        limit 1
        for no key update
      ) as contact
    );
  else
    locked_numbers := array(
      select wanted from unnest(numbers) as wanted where pg_try_advisory_xact_lock(contact_lock(workspace, wanted))
    );
    locked_ids := array(
      select contact.id
      from unnest(locked_numbers) as wanted (phone_number)
      cross join lateral (
        select id from contact
        where workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
        limit 1
        for no key update skip locked
      ) as contact
    );
  end if;
  return query
    select wanted.phone_number, found.id,
      wanted.phone_number <> all(locked_numbers) or found.id is not null and found.id <> all(locked_ids),
      found.time_zone,
      case when wanted.with_variables then array(select jsonb_object_keys(found.variables)) end,
      listed.found is not null
    from unnest(numbers, with_variables) as wanted (phone_number, with_variables)
    left join lateral (
      select id, time_zone, variables from contact
      where workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
      limit 1
    ) as found on true
    -- Does the same as is_listed, which would read the workspace's salt again for each number.
    left join lateral (
      select true as found from do_not_call
      where workspace_id = workspace and number_hash = salted_number_hash(salt, wanted.phone_number)
      limit 1
    ) as listed on true;
end $$;
