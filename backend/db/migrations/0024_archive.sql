-- Up Migration

-- Calls that ended long ago move to tables of their own, with everything about them, so that vacuum and backups of the
-- tables that change all the time stay cheap. Readers that show old calls use the views any_*. Nothing changes a row in the
-- archive: whoever has to change one calls restore_calls first, and the call moves to the archive again later.
--
-- A later migration that adds a column to one of these six tables adds it to its archive table too, and calls
-- show_with_archive again. Tests compare the columns, and fail if a new table refers to a call and isn't moved.

-- Callback URLs and notes stay where they are when their call moves, because ending a connection must reach the URLs. So
-- their call_id refers to a call in either table.
alter table call_callback drop constraint call_callback_call_id_fkey;
alter table contact_note drop constraint contact_note_call_id_fkey;

create table archived_call (
  like call including comments,
  primary key (id),
  -- With it, PostgreSQL skips the archive if a filter selects calls that aren't completed.
  check (status = 'completed'),
  foreign key (workspace_id) references workspace on delete cascade,
  foreign key (workspace_id, campaign_id) references campaign (workspace_id, id),
  foreign key (workspace_id, contact_id) references contact (workspace_id, id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  foreign key (workspace_id, phone_number_id) references phone_number (workspace_id, id)
);
-- IDs are ascending, other than in the indexes of `call`: new entries then fill pages completely.
create index archived_call_list on archived_call (workspace_id, id);
create index archived_call_list_campaign on archived_call (workspace_id, campaign_id, id);
create index archived_call_list_agent on archived_call (workspace_id, agent_id, id);
create index archived_call_list_outcome on archived_call (workspace_id, outcome, id);
create index archived_call_list_goal on archived_call (workspace_id, goal_met, id) where goal_met is not null;
create index archived_call_test on archived_call (workspace_id, id) where test;
create index archived_call_queued on archived_call (workspace_id, queued_at, id);
create index archived_call_contact on archived_call (workspace_id, contact_id, id);
create index archived_call_number on archived_call (workspace_id, to_number text_pattern_ops);
create index archived_call_progress on archived_call (workspace_id, campaign_id, outcome) where not test;
create index archived_call_conversation on archived_call (workspace_id, ended_at)
  where status = 'completed' and conversation_erased_at is null;
comment on index archived_call_list is 'GET /calls/ and the list of calls';
comment on index archived_call_list_campaign is 'The list of calls of a campaign';
comment on index archived_call_list_agent is 'The list of calls of an agent';
comment on index archived_call_list_outcome is 'The list of calls with an outcome';
comment on index archived_call_list_goal is 'The list of calls by whether the goal was met';
comment on index archived_call_test is 'The list of test calls, which are rare';
comment on index archived_call_queued is 'The list of calls of a period';
comment on index archived_call_contact is 'The calls of a contact, also to erase it';
comment on index archived_call_number is 'Search by the start of a number';
comment on index archived_call_progress is 'The outcomes of a campaign''s calls';
comment on index archived_call_conversation is 'Conversations to delete after the retention time';

create table archived_call_attempt (
  like call_attempt,
  primary key (call_id, number),
  foreign key (call_id) references archived_call on delete cascade
);

create table archived_tool_call (
  like tool_call,
  primary key (call_id, id),
  foreign key (call_id) references archived_call on delete cascade
);

create table archived_event (
  like event,
  primary key (id),
  foreign key (call_id) references archived_call on delete cascade
);
create index archived_event_of_call on archived_event (call_id);
comment on index archived_event_of_call is 'The event of a call';

create table archived_webhook_delivery (
  like webhook_delivery including generated,
  primary key (id),
  foreign key (event_id) references archived_event on delete cascade,
  foreign key (subscription_id) references webhook_subscription on delete cascade,
  foreign key (callback_id) references call_callback on delete set null
);
create index archived_webhook_delivery_event on archived_webhook_delivery (event_id);
create index archived_webhook_delivery_subscription on archived_webhook_delivery (subscription_id, id)
  where subscription_id is not null;
create index archived_webhook_delivery_callback on archived_webhook_delivery (workspace_id, id)
  where subscription_id is null;
create index archived_webhook_delivery_of_callback on archived_webhook_delivery (callback_id)
  where callback_id is not null;
create index archived_webhook_delivery_exhausted on archived_webhook_delivery (workspace_id, subscription_id, id)
  where status = 'exhausted';
comment on index archived_webhook_delivery_event is 'The deliveries of an event';
comment on index archived_webhook_delivery_subscription is
  'The deliveries of a subscription, also to delete them 30 days after it ended';
comment on index archived_webhook_delivery_callback is 'The list of deliveries to callback URLs';
comment on index archived_webhook_delivery_of_callback is 'Deleting a callback URL';
comment on index archived_webhook_delivery_exhausted is 'Deliveries that can be replayed, which are rare';

create table archived_delivery_attempt (
  like delivery_attempt,
  primary key (delivery_id, number),
  foreign key (delivery_id) references archived_webhook_delivery on delete cascade
);

call protect_table('archived_call');
call protect_table('archived_call_attempt');
call protect_table('archived_tool_call');
call protect_table('archived_event');
call protect_table('archived_webhook_delivery');
call protect_table('archived_delivery_attempt', 'exists (
  select from archived_webhook_delivery
  where archived_webhook_delivery.id = archived_delivery_attempt.delivery_id
    and archived_webhook_delivery.workspace_id = current_workspace_id())');

-- Creates or updates the view any_<name> of a table and its archive table. It applies the policies of both.
create procedure show_with_archive(name text) language plpgsql as $$
begin
  execute format(
    'create or replace view any_%1$s with (security_invoker = true) as
      select * from %1$s union all select * from archived_%1$s', name);
  execute format('grant select on any_%s to outdial_service, outdial_workspace', name);
end $$;
call show_with_archive('call');
call show_with_archive('call_attempt');
call show_with_archive('tool_call');
call show_with_archive('event');
call show_with_archive('webhook_delivery');
call show_with_archive('delivery_attempt');

-- A transaction that has to find all calls of a kind, and can't miss one that is moving, takes this advisory lock in
-- shared mode. The transaction that moves calls of the workspace to the archive takes it exclusively.
create function archive_lock(workspace bigint) returns bigint
  language sql immutable parallel safe
  return hashtextextended('archive of workspace ' || workspace, 0);

-- Moves calls between the tables whose names begin with these prefixes, with everything about them. The columns come from
-- the catalog, so that older versions of the service move columns that were added later.
create function move_calls(from_prefix text, to_prefix text, call_ids bigint[]) returns void language plpgsql as $$
declare
  moved record;
  column_names text;
begin
  for moved in
    select * from (values
      ('call', 'id = any($1)'),
      ('call_attempt', 'call_id = any($1)'),
      ('tool_call', 'call_id = any($1)'),
      ('event', 'call_id = any($1)'),
      ('webhook_delivery', 'event_id in (select id from %1$sevent where call_id = any($1))'),
      ('delivery_attempt', 'delivery_id in (
        select id from %1$swebhook_delivery where event_id in (select id from %1$sevent where call_id = any($1)))')
    ) as tables (name, condition)
  loop
    select string_agg(quote_ident(attname), ', ' order by attnum) into column_names from pg_attribute
    where attrelid = moved.name::regclass and attnum > 0 and not attisdropped and attgenerated = '';
    execute format(
      'insert into %1$s (%2$s) overriding system value select %2$s from %3$s where %4$s',
      to_prefix || moved.name, column_names, from_prefix || moved.name, format(moved.condition, from_prefix))
    using call_ids;
  end loop;
  -- The other rows go with it, and so do the reports of its attempts, which nothing reads any more.
  execute format('delete from %scall where id = any($1)', from_prefix) using call_ids;
end $$;

-- Moves completed calls to the archive. Skips calls that others have locked, and those with a delivery that isn't
-- finished. Returns how many it moved.
create function archive_calls(call_ids bigint[]) returns int language plpgsql as $$
declare
  locked_ids bigint[];
begin
  locked_ids := array(
    select id from call where id = any(call_ids) and status = 'completed' and analysis_until is null
    order by id for update skip locked
  );
  -- Nothing can be added to these, and no delivery can be replayed.
  perform from event where call_id = any(locked_ids) order by id for update;
  perform from webhook_delivery
  where event_id in (select id from event where call_id = any(locked_ids)) order by id for update;
  locked_ids := array(
    select locked.id from unnest(locked_ids) as locked (id)
    where not exists (
      select from event join webhook_delivery on webhook_delivery.event_id = event.id
      where event.call_id = locked.id
        and (webhook_delivery.status = 'pending' or webhook_delivery.lease_until > clock_timestamp())
    )
  );
  perform move_calls('', 'archived_', locked_ids);
  return cardinality(locked_ids);
end $$;

-- Moves calls back, so that they can be changed. Of two transactions that restore a call, the second waits and then finds
-- it restored. Returns how many it moved.
create function restore_calls(workspace bigint, call_ids bigint[]) returns int language plpgsql as $$
declare
  locked_ids bigint[];
begin
  locked_ids := array(
    select id from archived_call where workspace_id = workspace and id = any(call_ids) order by id for update
  );
  if cardinality(locked_ids) > 0 then perform move_calls('archived_', '', locked_ids); end if;
  return cardinality(locked_ids);
end $$;
