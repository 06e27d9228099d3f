-- Creates the contacts with these numbers, or updates the existing ones, and locks them until the transaction ends.
-- A number may occur only once.
--
-- A connection keeps the function's plans until it closes. A plan that was made while the tables were small must not read
-- the whole tables after they have grown, so only indexes and nested loops are allowed. For the same reason, rows are looked up
-- in lateral subqueries with a limit, which PostgreSQL doesn't turn into joins.
--
-- The plans are generic. Otherwise, once the tables have statistics, PostgreSQL would plan the statements again in each call,
-- because a plan for the call's values looks cheaper. That would take two thirds of the time, and choose the same indexes.
create or replace function upsert_contacts(workspace bigint, at timestamptz, contacts contact_values[])
  returns table (contact_id bigint, phone_number text, created boolean)
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_column
declare
  created_ids bigint[] := '{}';
  found_ids bigint[];
begin
  -- Every transaction locks numbers in this order, so that two transactions can't deadlock.
  perform pg_advisory_xact_lock(contact_lock(workspace, phone_number))
  from (select phone_number from unnest(contacts) order by phone_number) as ordered;

  loop
    with added as (
      insert into contact (
        workspace_id, phone_number, first_name, last_name, email, external_id, time_zone, variables, consent_source,
        consent_at, consent_kind, created_at, updated_at, updated_by
      )
      select workspace, phone_number, changes ->> 'first_name', changes ->> 'last_name', changes ->> 'email',
        changes ->> 'external_id', changes ->> 'time_zone',
        coalesce(nullif(changes -> 'variables', 'null'), '{}'),
        changes ->> 'consent_source', (changes ->> 'consent_at')::timestamptz, changes ->> 'consent_kind', at, at, changed_by
      from unnest(contacts)
      order by phone_number
      on conflict (workspace_id, phone_number) where erased_at is null do nothing
      returning id
    )
    select created_ids || coalesce(array_agg(id), '{}') into created_ids from added;

    found_ids := created_ids;
    if cardinality(created_ids) < cardinality(contacts) then
      found_ids := array(
        select contact.id
        from (select phone_number from unnest(contacts) order by phone_number) as wanted
        cross join lateral (
          select id from contact
          where contact.workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
          limit 1
          for no key update
        ) as contact
      );
    end if;
    -- Tries again if a contact was erased between the insert and the select.
    exit when cardinality(found_ids) = cardinality(contacts);
  end loop;

  if cardinality(created_ids) < cardinality(contacts) then
    update contact set
      first_name = case when changes ? 'first_name' then changes ->> 'first_name' else first_name end,
      last_name = case when changes ? 'last_name' then changes ->> 'last_name' else last_name end,
      email = case when changes ? 'email' then changes ->> 'email' else email end,
      external_id = case when changes ? 'external_id' then changes ->> 'external_id' else external_id end,
      time_zone = case when changes ? 'time_zone' then changes ->> 'time_zone' else time_zone end,
      variables = case
        when not changes ? 'variables' then contact.variables
        when changes -> 'variables' = 'null' then '{}'
        else contact.variables || (changes -> 'variables')
      end,
      consent_source = case when changes ? 'consent_source' then changes ->> 'consent_source' else consent_source end,
      consent_at = case when changes ? 'consent_at' then (changes ->> 'consent_at')::timestamptz else consent_at end,
      -- A new consent never keeps the kind of the previous consent.
      consent_kind = case when changes ? 'consent_source' then changes ->> 'consent_kind' else consent_kind end,
      updated_at = at,
      updated_by = changed_by
    from unnest(contacts) as changed (changed_number, changes, changed_by)
    where id = any(found_ids) and id <> all(created_ids) and phone_number = changed_number;
  end if;

  return query select id, phone_number, id = any(created_ids) from contact where id = any(found_ids);
end $$;
