-- Up Migration

-- The API log: requests to the public API in the last 14 days, for support. Without bodies, queries, and secrets. The
-- columns that name other rows aren't foreign keys, because checking them would cost more than the log itself.
create table api_request (
  id bigint generated always as identity,
  -- The day of the month in UTC, which selects the partition.
  day smallint not null check (day = extract(day from "at" at time zone 'UTC')),
  workspace_id bigint not null,
  -- When the request arrived.
  at timestamptz not null,
  duration_ms int not null,
  request_id text not null,
  method text not null,
  -- The pattern of the path below the API's prefix, such as /calls/:id/.
  route text not null,
  -- The :id of the path, if the workspace has such an object.
  object_id bigint,
  status smallint not null,
  error_code text,
  -- Names of fields with an issue.
  fields text[] not null default '{}',
  -- 'first' for the first request with an Idempotency-Key, 'replayed' if it got a stored response.
  idempotency text check (idempotency = any (array['first', 'replayed'])),
  user_id bigint not null,
  api_key_id bigint,
  client_id text,
  -- What the request created, or what exists already.
  contact_id bigint,
  call_id bigint,
  campaign_id bigint,
  subscription_id bigint
) partition by list (day);

create index api_request_page on api_request (workspace_id, id);
create index api_request_errors on api_request (workspace_id, id) where status >= 400;
create index api_request_request_id on api_request (request_id);
create index api_request_call on api_request (call_id) where call_id is not null;

call protect_table('api_request', 'workspace_id = current_workspace_id()', 'select');

-- One partition for each day of the month. They always exist, because the service may not create or drop tables. An old
-- day is emptied with `truncate`, which takes as long for a million rows as for one.
do $$
begin
  for day in 1..31 loop
    execute format('create table api_request_day_%s partition of api_request for values in (%s)', day, day);
    call protect_table(format('api_request_day_%s', day)::regclass, null);
    execute format('grant truncate on api_request_day_%s to outdial_service', day);
  end loop;
end $$;
