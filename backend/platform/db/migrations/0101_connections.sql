-- Up Migration

-- What a program connects with: API keys and the apps that a user has authorized.

create table api_key (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  name text not null,
  -- The first characters, by which people recognize the key.
  prefix text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_workspace on api_key (workspace_id);
call protect_table('api_key');

create table oauth_client (
  id text primary key,
  name text not null,
  -- Null for public clients. Encrypted under SECRET_KEY, because oidc-provider compares the plain secret.
  secret text,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  created_at timestamptz not null default now()
);
-- Apps belong to no workspace. A workspace sees the names of all apps.
call protect_table('oauth_client', 'true', 'select (id, name, created_at)');

-- An authorization of an app for a workspace by a user. It never changes.
create table oauth_grant (
  id_hash bytea primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  client_id text not null references oauth_client on delete cascade,
  created_at timestamptz not null default now(),
  -- For the list of connected apps.
  last_used_at timestamptz
);
create index oauth_grant_member on oauth_grant (workspace_id, user_id, client_id);
call protect_table('oauth_grant');

-- What oidc-provider stores between requests. IDs are hashed, and the payload has no token.
create table oauth_payload (
  model text not null,
  id_hash bytea not null,
  payload jsonb not null,
  grant_hash bytea,
  expires_at timestamptz,
  consumed_at timestamptz,
  primary key (model, id_hash)
);
create index oauth_payload_grant on oauth_payload (grant_hash) where grant_hash is not null;
create index oauth_payload_expired on oauth_payload (expires_at) where expires_at is not null;
call protect_table('oauth_payload', 'exists (
  select from oauth_grant
  where oauth_grant.id_hash = oauth_payload.grant_hash and oauth_grant.workspace_id = current_workspace_id())');

-- The row that authenticates a request to the API, whatever the kind of its credential.
create table credential (
  token_hash bytea primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  api_key_id bigint references api_key on delete cascade,
  grant_hash bytea references oauth_grant on delete cascade,
  client_id text references oauth_client on delete cascade,
  scopes text[] not null,
  expires_at timestamptz,
  check ((api_key_id is null) <> (grant_hash is null)),
  check ((grant_hash is null) = (client_id is null))
);
create index credential_api_key on credential (api_key_id) where api_key_id is not null;
create index credential_grant on credential (grant_hash) where grant_hash is not null;
create index credential_expired on credential (expires_at) where expires_at is not null;
call protect_table('credential');

-- The response to a request with an Idempotency-Key, which a repeated request gets again.
create table idempotent_response (
  -- A hash of the API key or of the user, app, and workspace, and of the method, the path, and the key.
  scope_hash bytea primary key,
  body_hash bytea not null,
  workspace_id bigint not null references workspace on delete cascade,
  status int not null,
  body jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index idempotent_response_expired on idempotent_response (expires_at);
-- To erase a contact.
create index idempotent_response_contact on idempotent_response (workspace_id, (body -> 'contact' ->> 'id'))
  where body -> 'contact' ->> 'id' is not null;
call protect_table('idempotent_response');

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
  -- What the request created, or what existed already.
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

-- The installation ------------------------------------------------------------------------------------------

-- Keys that must survive a restart, such as those that sign cookies. Encrypted under SECRET_KEY.
create table server_secret (
  name text primary key,
  value text not null,
  created_at timestamptz not null default now()
);
call protect_table('server_secret', null);

-- The processes that share this database. Each one updates its row every two seconds.
create table replica (
  id text primary key,
  role text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
call protect_table('replica', null);
