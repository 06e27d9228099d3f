create or replace function without_results(requests contact_request[], results contact_result[]) returns contact_request[]
  language sql immutable parallel safe
  return array(
    select request from unnest(requests) as request
    where (request).item <> all(array(select item from unnest(results)))
  );

-- Adds contacts and queues their calls for concurrent requests of one workspace. A phone number and an idempotency key may
-- occur only once. Each request is done completely, or nothing is done for it. A row that another transaction has locked
-- delays only the requests that need it: they're returned as `alone`, and are done in a transaction of their own.
--
-- Each step is a statement of its own, which sees what was committed before it started: rows are locked first and read
-- after that (docs/decisions/0003). Its settings have the reason that upsert_contacts gives.
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
create or replace function add_contacts(
  workspace bigint, at timestamptz, requests json, response_expires_at timestamptz, max_variables int
)
  returns setof contact_result
  language plpgsql
  set role = outdial_workspace
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
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
          -- Not `exists`, for which PostgreSQL could read the workspace's whole list.
          when (
            select true from do_not_call
            where do_not_call.workspace_id = workspace and number_hash = hashed.number_hash
            limit 1
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
