-- Up Migration

-- Concurrent `POST /contacts/` share one statement, add_contacts. It runs as outdial_workspace, like all statements of a
-- request. Inside, each step is a statement of its own, which sees what was committed before it started: rows are locked
-- first and read after that (docs/decisions/0003).
--
-- The functions keep their plans as long as the connection. A plan that was made while the tables were small must not
-- read them from start to end when they have grown, so only indexes and nested loops are allowed. For the same reason,
-- rows are looked up in lateral subqueries with a limit, which PostgreSQL doesn't turn into joins.

-- The version of what decides when a campaign's calls can be made. The time of a call is computed outside of the
-- database, from rules that may have changed since; a call is only queued if the version is still the same.
alter table campaign add column rules_version bigint not null default 1;

create function increase_rules_version() returns trigger language plpgsql as $$
begin
  new.rules_version := old.rules_version + 1;
  return new;
end $$;
create trigger campaign_rules_changed before update of time_zone, calling_hours on campaign for each row
  when (row(old.time_zone, old.calling_hours) is distinct from row(new.time_zone, new.calling_hours))
  execute function increase_rules_version();

-- A time as JavaScript's Date.toISOString() writes it.
create function iso_time(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The settings of a call that are read from the rows of its campaign, agent, and contact.
create function call_settings(campaign campaign, agent agent, contact contact) returns jsonb
  language sql stable parallel safe
  return jsonb_build_object(
    'campaign_name', (campaign).name,
    'campaign_time_zone', (campaign).time_zone,
    'calling_hours', (campaign).calling_hours,
    'retry', (campaign).retry,
    'max_concurrent_calls', (campaign).max_concurrent_calls,
    'agent_name', (agent).name,
    'language', (agent).language,
    'greeting', (agent).greeting,
    'first_name', (contact).first_name,
    'last_name', (contact).last_name,
    'variables', (contact).variables,
    'consent_source', (contact).consent_source,
    'consent_at', iso_time((contact).consent_at)
  );

-- Contacts ------------------------------------------------------------------------------------------------

create type contact_values as (
  phone_number text,
  -- By column. A missing column keeps its value, null clears it, and variables are merged over the stored ones.
  changes jsonb,
  changed_by jsonb
);

-- Creates the contacts with these numbers, or updates the existing ones, and locks them until the transaction ends.
-- A number may occur only once.
create function upsert_contacts(workspace bigint, at timestamptz, contacts contact_values[])
  returns table (contact_id bigint, phone_number text, created boolean, variables jsonb)
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
#variable_conflict use_column
declare
  created_ids bigint[] := '{}';
  found_ids bigint[];
begin
  loop
    with added as (
      insert into contact (
        workspace_id, phone_number, first_name, last_name, email, external_id, time_zone, variables, consent_source,
        consent_at, created_at, updated_at, updated_by
      )
      select workspace, phone_number, changes ->> 'first_name', changes ->> 'last_name', changes ->> 'email',
        changes ->> 'external_id', changes ->> 'time_zone',
        coalesce(nullif(changes -> 'variables', 'null'), '{}'),
        changes ->> 'consent_source', (changes ->> 'consent_at')::timestamptz, at, at, changed_by
      from unnest(contacts)
      -- The same order in every transaction, so that two can't deadlock.
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
    -- A contact can have been erased between the two statements.
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
      updated_at = at,
      updated_by = changed_by
    from unnest(contacts) as changed (changed_number, changes, changed_by)
    where id = any(found_ids) and id <> all(created_ids) and phone_number = changed_number and changes <> '{}';
  end if;

  return query
    select id, phone_number, id = any(created_ids), contact.variables from contact where id = any(found_ids);
end $$;

-- Calls ---------------------------------------------------------------------------------------------------

create type call_request as (
  -- Identifies the request among those of one statement.
  item int,
  contact_id bigint,
  campaign_id bigint,
  test boolean,
  -- Queue the call even if the contact already has an open one in this campaign.
  additional boolean,
  -- Null if no time was requested.
  scheduled_at timestamptz,
  due_at timestamptz,
  next_attempt_at timestamptz,
  metadata jsonb,
  origin jsonb,
  -- {time_zones, time_zone_source}
  zones jsonb
);

create type queued_call as (item int, call_id bigint, queued boolean);

-- Queues calls with the settings that are in effect, or finds the open calls that they would duplicate. A contact may
-- occur only once. Call it in a transaction that has locked the contacts and, against changes, the campaigns. Without
-- these locks, the unique index call_open_once prevents duplicates.
create function queue_calls(workspace bigint, at timestamptz, calls call_request[])
  returns setof queued_call
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
#variable_conflict use_column
declare
  done queued_call[];
begin
  while cardinality(calls) > 0 loop
    done := array(
      select row(item, first_open.id, false)::queued_call
      from unnest(calls) as request
      cross join lateral (
        select id from call
        where call.workspace_id = workspace and call.campaign_id = request.campaign_id
          and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
        order by id
        limit 1
      ) as first_open
      where not request.additional
    );
    return query select * from unnest(done);
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );

    with inserted as (
      insert into call (
        workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number, test, additional,
        scheduled_at, queued_at, due_at, next_attempt_at, metadata, origin, queued_with
      )
      select workspace, request.campaign_id, request.contact_id, made_with.agent_id, made_with.phone_number_id,
        made_with.from_number, made_with.to_number, request.test,
        request.additional and (
          select count(*) > 0 from (
            select from call
            where call.workspace_id = workspace and call.campaign_id = request.campaign_id
              and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
              and not call.additional
            limit 1
          ) as open_call
        ),
        request.scheduled_at, at, request.due_at, request.next_attempt_at, request.metadata, request.origin,
        made_with.settings || request.zones
      from unnest(calls) as request
      cross join lateral (
        select call_settings(campaign, agent, contact) as settings, campaign.agent_id, campaign.phone_number_id,
          phone_number.phone_number as from_number, contact.phone_number as to_number
        from campaign
        join agent on agent.workspace_id = workspace and agent.id = campaign.agent_id
        join phone_number on phone_number.workspace_id = workspace and phone_number.id = campaign.phone_number_id
        join contact on contact.workspace_id = workspace and contact.id = request.contact_id
        where campaign.workspace_id = workspace and campaign.id = request.campaign_id
        limit 1
      ) as made_with
      order by request.item
      on conflict do nothing
      returning id, contact_id
    )
    select coalesce(array_agg(row(item, inserted.id, true)::queued_call), '{}') into done
    from inserted join unnest(calls) as request on request.contact_id = inserted.contact_id;
    return query select * from unnest(done);
    -- If another transaction, which hadn't locked the contact, was first, its call is visible now.
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );
  end loop;
end $$;

-- Both ----------------------------------------------------------------------------------------------------

-- A `POST /contacts/`, validated, with what's needed to queue its call.
create type contact_request as (
  item int,
  token_hash bytea,
  -- The idempotency key's lock, and the hashes of its scope and of the body. Null without a key.
  scope_lock bigint,
  scope_hash bytea,
  body_hash bytea,
  phone_number text,
  changes jsonb,
  changed_by jsonb,
  -- The contact's own time zone that next_attempt_at was computed with. Null if it has none.
  time_zone text,
  campaign_id bigint,
  rules_version bigint,
  test boolean,
  additional boolean,
  scheduled_at timestamptz,
  due_at timestamptz,
  next_attempt_at timestamptz,
  metadata jsonb,
  origin jsonb,
  zones jsonb
);

create type contact_result as (item int, result text, body json);

create function without_results(requests contact_request[], results contact_result[]) returns contact_request[]
  language sql immutable parallel safe
  return array(
    select request from unnest(requests) as request
    where (request).item <> all(array(select item from unnest(results)))
  );

-- Adds contacts and queues their calls for concurrent requests of one workspace. A phone number and an idempotency key may
-- occur only once. Each request is done completely, or nothing is done for it. A row that another transaction has locked
-- delays only the requests that need it: they're returned as `alone`, and are done in a transaction of their own.
--
-- Returns a row for each request:
--
--   done                {contact, row, at, contact_created, call_queued}, also stored for its idempotency key
--   replayed            {status, body} as stored for its idempotency key
--   key_in_use, key_reused
--   unauthorized        the credential doesn't exist anymore, or has expired
--   campaign_not_found, campaign_archived, too_many_variables
--   other_plan          {rules_version, calling_hours, campaign_time_zone, contact_time_zone}: plan the call with these
--   alone               must be done in a transaction of its own
create function add_contacts(
  workspace bigint, at timestamptz, requests json, response_expires_at timestamptz, max_variables int
)
  returns setof contact_result
  language plpgsql
  set role = outdial_workspace
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$
#variable_conflict use_column
declare
  todo contact_request[];
  results contact_result[];
  locked_items int[];
  locked_contacts bigint[];
  locked_campaigns bigint[];
  contact_ids bigint[];
  created_ids bigint[];
  added queued_call[];
begin
  perform set_config('outdial.workspace_id', workspace::text, true);
  todo := array(select request from json_populate_recordset(null::contact_request, requests) as request);

  results := array(
    select row(item, 'unauthorized', null)::contact_result from unnest(todo) as request
    where not exists (
      select from credential
      where credential.token_hash = request.token_hash and credential.workspace_id = workspace
        and (credential.expires_at is null or credential.expires_at > at)
    )
  );
  if cardinality(results) > 0 then
    return query select * from unnest(results);
    todo := without_results(todo, results);
  end if;

  if exists (select from unnest(todo) where scope_hash is not null) then
    locked_items := array(
      select item from unnest(todo) where scope_hash is null or pg_try_advisory_xact_lock(scope_lock)
    );
    results := array(
      select row(
        item,
        case
          when item <> all(locked_items) then 'key_in_use'
          when stored.body_hash = request.body_hash then 'replayed'
          else 'key_reused'
        end,
        json_build_object('status', stored.status, 'body', stored.body)
      )::contact_result
      from unnest(todo) as request
      left join idempotent_response as stored
        on stored.scope_hash = request.scope_hash and stored.workspace_id = workspace and stored.expires_at > at
      where item <> all(locked_items) or stored.scope_hash is not null
    );
    if cardinality(results) > 0 then
      return query select * from unnest(results);
      todo := without_results(todo, results);
    end if;
  end if;

  locked_contacts := array(
    select contact.id
    from (select phone_number from unnest(todo) order by phone_number) as request
    cross join lateral (
      select id from contact
      where contact.workspace_id = workspace and contact.phone_number = request.phone_number and erased_at is null
      limit 1
      for no key update skip locked
    ) as contact
  );
  locked_campaigns := array(
    select id from campaign
    where workspace_id = workspace and id = any(array(select campaign_id from unnest(todo)))
    order by id
    for key share skip locked
  );
  results := array(
    select row(item, problem, details)::contact_result
    from (
      select item,
        case
          when campaign.id is null then 'campaign_not_found'
          when campaign.id <> all(locked_campaigns) then 'alone'
          when campaign.status = 'archived' then 'campaign_archived'
          when contact.id is not null and contact.id <> all(locked_contacts) then 'alone'
          when exists (
            select from do_not_call where do_not_call.workspace_id = workspace and number_hash = hashed.number_hash
          ) then 'alone'
          -- It also reschedules the contact's other calls.
          when contact.id is not null and changes ? 'time_zone'
            and contact.time_zone is distinct from changes ->> 'time_zone' then 'alone'
          when campaign.rules_version is distinct from request.rules_version
            or contact.time_zone is distinct from request.time_zone and not changes ? 'time_zone' then 'other_plan'
          when contact.id is not null and jsonb_typeof(changes -> 'variables') = 'object'
            and (select count(*) from jsonb_object_keys(contact.variables || (changes -> 'variables'))) > max_variables
            then 'too_many_variables'
        end as problem,
        json_build_object(
          'rules_version', campaign.rules_version,
          'calling_hours', campaign.calling_hours,
          'campaign_time_zone', campaign.time_zone,
          'contact_time_zone', contact.time_zone
        ) as details
      from unnest(todo) as request
      cross join lateral (
        select salted_number_hash(number_salt, request.phone_number) as number_hash
        from workspace as salted where salted.id = workspace
        limit 1
      ) as hashed
      left join lateral (
        select * from campaign where campaign.workspace_id = workspace and campaign.id = request.campaign_id limit 1
      ) as campaign on true
      left join lateral (
        select * from contact
        where contact.workspace_id = workspace and contact.phone_number = request.phone_number and erased_at is null
        limit 1
      ) as contact on true
    ) as checked
    where problem is not null
  );
  if cardinality(results) > 0 then
    return query select * from unnest(results);
    todo := without_results(todo, results);
  end if;
  if cardinality(todo) = 0 then return; end if;

  select array_agg(contact_id), coalesce(array_agg(contact_id) filter (where created), '{}')
  into contact_ids, created_ids
  from upsert_contacts(
    workspace, at, array(select row(phone_number, changes, changed_by)::contact_values from unnest(todo))
  );
  -- Another transaction created one of the contacts meanwhile. Then each request is done alone.
  if not contact_ids <@ (created_ids || locked_contacts) then
    raise exception 'a contact was created meanwhile' using errcode = 'serialization_failure';
  end if;

  added := array(
    select queued_call from queue_calls(
      workspace, at,
      array(
        select row(
          item, contact.id, campaign_id, test, additional, scheduled_at, due_at, next_attempt_at, metadata, origin, zones
        )::call_request
        from unnest(todo) as request
        cross join lateral (
          select id from contact
          where contact.workspace_id = workspace and contact.phone_number = request.phone_number and erased_at is null
          limit 1
        ) as contact
      )
    ) as queued_call
  );
  results := array(
    select row(
      queued.item, 'done',
      json_build_object(
        'contact', json_build_object('id', found.contact_id), 'row', row_to_json(found), 'at', at,
        'contact_created', found.contact_id = any(created_ids), 'call_queued', queued.queued
      )
    )::contact_result
    from unnest(added) as queued
    cross join lateral (
      select call.id, call.workspace_id, call.status, call.next_attempt_at, call.due_at, call.test, call.campaign_id,
        campaign.name as campaign_name, call.agent_id, agent.name as agent_name, call.from_number, call.to_number,
        call.attempts, call.origin, call.scheduled_at, call.queued_at, call.answered_at, call.metadata,
        campaign.status as campaign_status, agent.status as agent_status, phone_number.status as number_status,
        call.status = 'queued' and not call.test and call.next_attempt_at <= at and (
          exists (
            select from call_attempt
            where call_attempt.workspace_id = workspace and call_attempt.to_number = call.to_number
              and call_attempt.ended_at is null and not call_attempt.test
          ) or (
            select count(*) from call_attempt
            where call_attempt.campaign_id = call.campaign_id and call_attempt.ended_at is null
              and not call_attempt.test
          ) >= campaign.max_concurrent_calls
        ) as at_capacity,
        contact.id as contact_id, contact.phone_number, contact.first_name, contact.last_name, contact.email,
        contact.external_id, contact.time_zone, contact.variables, contact.consent_source, contact.consent_at,
        contact.created_at, contact.updated_at, false as do_not_call
      from call
      join contact on contact.id = call.contact_id
      join campaign on campaign.id = call.campaign_id
      join agent on agent.id = call.agent_id
      join phone_number on phone_number.id = call.phone_number_id
      where call.id = queued.call_id
      limit 1
    ) as found
  );
  insert into idempotent_response (scope_hash, workspace_id, body_hash, status, body, created_at, expires_at)
    select scope_hash, workspace, body_hash, case when done.body ->> 'call_queued' = 'true' then 201 else 200 end,
      done.body, at, response_expires_at
    from unnest(results) as done join unnest(todo) as request on request.item = done.item
    where scope_hash is not null
  -- One that has expired and hasn't been deleted yet.
  on conflict (scope_hash) do update set
    body_hash = excluded.body_hash, status = excluded.status, body = excluded.body,
    created_at = excluded.created_at, expires_at = excluded.expires_at;
  return query select * from unnest(results);
end $$;
