-- Up Migration

-- A transaction that creates contacts, such as an import, made others wait that create a contact with one of its numbers:
-- a row that isn't committed can't be skipped. So add_contacts waited with all requests of its statement, and because it
-- had already locked known contacts, the two could deadlock. Now all that creates a contact first locks its number (an
-- advisory lock). add_contacts doesn't wait for it. Processes of earlier versions use these functions, too.
create function contact_lock(workspace bigint, phone_number text) returns bigint
  language sql immutable parallel safe
  return hashtextextended('contact ' || workspace::text || ' ' || phone_number, 0);

-- As before, but it locks the numbers.
create or replace function upsert_contacts(workspace bigint, at timestamptz, contacts contact_values[])
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
  -- The same order in every transaction, so that two can't deadlock.
  perform pg_advisory_xact_lock(contact_lock(workspace, phone_number))
  from (select phone_number from unnest(contacts) order by phone_number) as ordered;

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

-- As before, but it tries to lock the numbers. Requests whose number another transaction has locked are returned as `alone`.
create or replace function add_contacts(
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
  locked_numbers text[];
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

  locked_numbers := array(
    select phone_number from unnest(todo) where pg_try_advisory_xact_lock(contact_lock(workspace, phone_number))
  );
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
          when request.phone_number <> all(locked_numbers) then 'alone'
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
  -- A version of the service that doesn't lock numbers created one of the contacts meanwhile. Then each request is done
  -- alone.
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
