-- Queues calls with the current settings, or returns the open calls that they would duplicate. Only the first statement of the
-- loop decides what a duplicate is. A contact may occur only once. Call the function in a transaction that has locked the
-- contacts, and the campaigns, so that nothing changes them. If the contacts aren't locked, the unique index call_open_once
-- still prevents duplicates. For the planner settings, see upsert_contacts.
create or replace function queue_calls(workspace bigint, at timestamptz, calls call_request[])
  returns setof queued_call
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  as $$
#variable_conflict use_column
declare
  done queued_call[];
  shared_ids bigint[];
begin
  while cardinality(calls) > 0 loop
    done := array(
      select row(item, first_open.id, false)::queued_call
      from unnest(calls) as request
      cross join lateral (
        select id from (
          select id from call
          where call.workspace_id = workspace and call.campaign_id = request.campaign_id
            and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
            and not call.additional
            and (request.if_open = 'skip' or status = 'queued' and call.scheduled_at = request.scheduled_at)
          union all
          select id from call
          where call.workspace_id = workspace and call.campaign_id = request.campaign_id
            and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
            and call.additional
            and (request.if_open = 'skip' or status = 'queued' and call.scheduled_at = request.scheduled_at)
        ) as open_call
        order by id
        limit 1
      ) as first_open
      where request.if_open <> 'queue'
    );
    -- If an import queued an open call, and another source now requests the same call, the call no longer belongs to the
    -- import. Undoing the import then doesn't cancel the call.
    if cardinality(done) > 0 then
      shared_ids := array(
        select call.id
        from (
          select call_id from unnest(done) join unnest(calls) as request using (item)
          where request.origin ->> 'kind' <> 'import'
          order by call_id
        ) as found
        cross join lateral (
          select id from call where call.id = found.call_id and import_id is not null limit 1 for no key update
        ) as call
      );
      if cardinality(shared_ids) > 0 then
        update call set import_id = null where id = any(shared_ids) and status <> 'completed';
        -- Drops calls from "done" that were completed while this transaction waited for their locks. New calls replace them.
        done := array(
          select open_call from unnest(done) as open_call
          where not exists (
            select from call where id = open_call.call_id and id = any(shared_ids) and status = 'completed'
          )
        );
      end if;
    end if;
    return query select * from unnest(done);
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );

    with inserted as (
      insert into call (
        workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number, test, additional,
        scheduled_at, queued_at, due_at, next_attempt_at, delayed_by, exempt, metadata, origin, import_id, queued_with
      )
      select workspace, request.campaign_id, request.contact_id, made_with.agent_id, made_with.phone_number_id,
        made_with.from_number, made_with.to_number, request.test,
        request.if_open <> 'skip' and (
          select count(*) > 0 from (
            select from call
            where call.workspace_id = workspace and call.campaign_id = request.campaign_id
              and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
              and not call.additional
            limit 1
          ) as open_call
        ),
        request.scheduled_at, at, request.due_at, request.next_attempt_at, request.delayed_by,
        -- During an upgrade, processes of an earlier version send requests without `exempt`.
        coalesce(request.exempt, false), request.metadata, request.origin,
        case when request.origin ->> 'kind' = 'import' then (request.origin ->> 'id')::bigint end,
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
      -- The deferred triggers lock rows of campaign_queue in the order in which calls are inserted. Without the same order in
      -- every transaction, two transactions could deadlock.
      order by request.campaign_id, request.item
      on conflict do nothing
      returning id, contact_id
    )
    select coalesce(array_agg(row(item, inserted.id, true)::queued_call), '{}') into done
    from inserted join unnest(calls) as request on request.contact_id = inserted.contact_id;
    return query select * from unnest(done);
    -- If another transaction, which hadn't locked the contact, inserted the same call first, that call is visible now. The next
    -- round finds it.
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );
  end loop;
end $$;
