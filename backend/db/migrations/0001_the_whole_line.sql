-- Up Migration

-- Who works with whom -------------------------------------------------------------------------

create table workspace (
  id bigint generated always as identity primary key,
  name text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  time_zone text not null,
  calling_hours jsonb not null default '{"days":["mon","tue","wed","thu","fri"],"start":"09:00","end":"17:00"}',
  -- Signs callback_url deliveries. Encrypted under SECRET_KEY.
  webhook_secret text not null,
  -- Salts the do-not-call list: a refusal must outlive the contact without telling the number.
  number_salt bytea not null default decode(replace(gen_random_uuid()::text, '-', ''), 'hex'),
  created_at timestamptz not null default now()
);

create table app_user (
  id bigint generated always as identity primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index app_user_email on app_user (lower(email));

create table membership (
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  role text not null check (role in ('owner', 'member')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index membership_of_user on membership (user_id);

create table session (
  id_hash bytea primary key,
  user_id bigint not null references app_user on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index session_of_user on session (user_id);

-- Credentials ---------------------------------------------------------------------------------

create table api_key (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  name text not null,
  -- The first characters, so that a person recognises the key.
  prefix text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_workspace on api_key (workspace_id);

create table oauth_client (
  id text primary key,
  name text not null,
  -- Null for public clients. Encrypted under SECRET_KEY: oidc-provider compares the plain secret.
  secret text,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  created_at timestamptz not null default now()
);

-- One authorization by one user of one client for one workspace, which never changes.
create table oauth_grant (
  id_hash bytea primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  client_id text not null references oauth_client on delete cascade,
  created_at timestamptz not null default now()
);
create index oauth_grant_member on oauth_grant (workspace_id, user_id, client_id);

-- What oidc-provider keeps between requests. Ids are hashed; the payload holds no token.
create table oauth_payload (
  model text not null,
  id_hash bytea not null,
  payload jsonb not null,
  grant_hash bytea,
  uid_hash bytea,
  expires_at timestamptz,
  consumed_at timestamptz,
  primary key (model, id_hash)
);
create index oauth_payload_grant on oauth_payload (grant_hash) where grant_hash is not null;
create index oauth_payload_uid on oauth_payload (uid_hash) where uid_hash is not null;
create index oauth_payload_expired on oauth_payload (expires_at) where expires_at is not null;

-- The one row that authenticates a request of the API, whatever the kind of its credential.
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

-- Signing and cookie keys that outlive a restart. Encrypted under SECRET_KEY.
create table server_secret (
  name text primary key,
  value text not null,
  created_at timestamptz not null default now()
);

-- The answer to a request that was made once, and must be made once only.
create table idempotent_answer (
  -- api key or (user, client, workspace), method, path and key, hashed together
  scope_hash bytea primary key,
  body_hash bytea not null,
  workspace_id bigint not null references workspace on delete cascade,
  status int not null,
  body jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index idempotent_answer_expired on idempotent_answer (expires_at);

-- Who calls whom ------------------------------------------------------------------------------

create table agent (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  widget_id uuid not null unique default gen_random_uuid(),
  name text not null,
  language text not null default 'en-US',
  status text not null default 'draft' check (status in ('draft', 'live', 'paused')),
  greeting text not null default '',
  variables text[] not null default '{}',
  created_at timestamptz not null default now(),
  unique (workspace_id, id)
);

create table phone_number (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  phone_number text not null,
  label text not null,
  country text not null,
  status text not null default 'active' check (status in ('active', 'retired')),
  created_at timestamptz not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, phone_number)
);

create table campaign (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  name text not null,
  status text not null default 'active' check (status in ('active', 'paused', 'archived')),
  agent_id bigint not null,
  phone_number_id bigint not null,
  time_zone text not null,
  calling_hours jsonb not null,
  max_concurrent_calls int not null check (max_concurrent_calls between 1 and 100),
  retry jsonb not null,
  paused_reason text,
  -- Attempts in a row that failed on the line: the circuit breaker.
  line_failures int not null default 0,
  -- When the dialer last looked at it: the campaigns take turns.
  claimed_at timestamptz,
  -- Set when its hours change or it is archived: waiting calls up to this id already follow.
  replan_after bigint,
  created_at timestamptz not null default now(),
  unique (workspace_id, id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  foreign key (workspace_id, phone_number_id) references phone_number (workspace_id, id)
);

create table contact (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  phone_number text not null,
  first_name text,
  last_name text,
  email text,
  external_id text,
  time_zone text,
  variables jsonb not null default '{}',
  consent_source text,
  consent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (workspace_id, id),
  unique (workspace_id, phone_number),
  check ((consent_source is null) = (consent_at is null))
);

create table do_not_call (
  workspace_id bigint not null references workspace on delete cascade,
  -- sha256(workspace.number_salt || E.164): survives the contact's erasure.
  number_hash bytea not null,
  source text not null check (source in ('api', 'dashboard', 'call')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, number_hash)
);

create function number_hash(workspace bigint, phone_number text) returns bytea
  language sql stable
  return (select sha256(w.number_salt || convert_to(phone_number, 'UTF8')) from workspace w where w.id = workspace);

create index campaign_replan on campaign (id) where replan_after is not null;

-- The queue -----------------------------------------------------------------------------------

create table call (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  campaign_id bigint not null,
  contact_id bigint not null,
  agent_id bigint not null,
  phone_number_id bigint not null,
  status text not null default 'queued' check (status in ('queued', 'dialing', 'in_progress', 'completed')),
  outcome text check (outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'declined', 'failed', 'suppressed', 'expired', 'canceled')),
  ended_reason text,
  test boolean not null default false,
  -- True where if_already_queued = queue asked for a second open call.
  additional boolean not null default false,
  from_number text not null,
  to_number text not null,
  attempts int not null default 0,
  scheduled_at timestamptz,
  queued_at timestamptz not null,
  -- When it became due (queued, scheduled, or retry), and the first moment after it that calling hours permit.
  due_at timestamptz not null,
  next_attempt_at timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  duration_seconds int,
  summary text,
  transcript jsonb not null default '[]',
  sentiment text not null default 'unknown',
  goal_met boolean,
  extracted jsonb not null default '{}',
  recording_url text,
  metadata jsonb not null default '{}',
  callback_url text,
  -- Set on hang-up where the analysis is still to come: the event waits for it, at most until then.
  analysis_until timestamptz,
  foreign key (workspace_id, campaign_id) references campaign (workspace_id, id),
  foreign key (workspace_id, contact_id) references contact (workspace_id, id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  foreign key (workspace_id, phone_number_id) references phone_number (workspace_id, id),
  check ((status = 'completed') = (outcome is not null)),
  check ((status = 'queued') = (next_attempt_at is not null))
);

-- What decides that fifty simultaneous posts of one contact queue one call.
create unique index call_open_once on call (campaign_id, contact_id, test) where status <> 'completed' and not additional;
create index call_waiting_campaign on call (campaign_id, id) where status = 'queued';
create index call_waiting_number on call (workspace_id, to_number) where status = 'queued';
create index call_due on call (campaign_id, next_attempt_at, id) where status = 'queued' and not test;
create index call_due_test on call (next_attempt_at, id) where status = 'queued' and test;
create index call_waiting on call (due_at) where status = 'queued';
create index call_open_contact on call (contact_id) where status <> 'completed';
create index call_analysis on call (analysis_until) where analysis_until is not null;
create index call_list on call (workspace_id, id desc);
create index call_list_campaign on call (workspace_id, campaign_id, id desc);
create index call_list_agent on call (workspace_id, agent_id, id desc);
create index call_list_status on call (workspace_id, status, id desc);
create index call_list_outcome on call (workspace_id, outcome, id desc) where outcome is not null;

-- One try to reach the contact. The id is the idempotency key towards the line, and the call_id of tool sessions.
create table attempt (
  id uuid primary key default gen_random_uuid(),
  workspace_id bigint not null references workspace on delete cascade,
  call_id bigint not null references call on delete cascade,
  campaign_id bigint not null,
  number int not null,
  to_number text not null,
  test boolean not null,
  line text not null,
  worker_id uuid not null,
  -- Grows with every new holder of the lease: what an older one writes is refused.
  fence bigint not null default 1,
  lease_until timestamptz not null,
  started_at timestamptz not null,
  answered_at timestamptz,
  ended_at timestamptz,
  outcome text,
  ended_reason text,
  unique (call_id, number),
  check ((ended_at is null) = (outcome is null))
);
create unique index attempt_one_live_per_number on attempt (workspace_id, to_number) where ended_at is null and not test;
create index attempt_live on attempt (campaign_id) where ended_at is null and not test;
create index attempt_lease on attempt (lease_until) where ended_at is null;

-- What the world is told ----------------------------------------------------------------------

create table webhook_subscription (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  -- The owner: an API key, or (user, client, workspace). Never a token, so that a reconnect keeps its hooks.
  api_key_id bigint references api_key on delete cascade,
  client_id text references oauth_client on delete cascade,
  target_url text not null,
  event text not null,
  filter jsonb not null,
  -- Encrypted under SECRET_KEY. For 24 hours after a rotation both sign.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  failing_since timestamptz,
  check ((api_key_id is null) <> (client_id is null))
);
create unique index webhook_subscription_of_key on webhook_subscription (api_key_id, target_url, event, filter) where api_key_id is not null;
create unique index webhook_subscription_of_client on webhook_subscription (user_id, client_id, workspace_id, target_url, event, filter) where client_id is not null;
create index webhook_subscription_workspace on webhook_subscription (workspace_id);

create table event (
  id text primary key,
  workspace_id bigint not null references workspace on delete cascade,
  type text not null,
  call_id bigint references call on delete cascade,
  -- As signed and sent, byte for byte.
  body text not null,
  created_at timestamptz not null default now(),
  unique (call_id, type)
);

create table webhook_delivery (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  event_id text not null references event on delete cascade,
  -- Null for a callback_url.
  subscription_id bigint references webhook_subscription on delete cascade,
  target_url text not null,
  -- Host and port: one slow receiver may not occupy the sender, and the claim must not wade through its backlog.
  target_host text not null generated always as (lower(coalesce(substring(target_url from '^[A-Za-z]+://([^/?#]*)'), ''))) stored,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'dead', 'gone')),
  tries int not null default 0,
  next_try_at timestamptz,
  worker_id uuid,
  fence bigint not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((status = 'pending') = (next_try_at is not null))
);
create unique index webhook_delivery_once on webhook_delivery (event_id, subscription_id) where subscription_id is not null;
create index webhook_delivery_due on webhook_delivery (target_host, next_try_at, id) where status = 'pending';
create index webhook_delivery_subscription on webhook_delivery (subscription_id, id desc);

create table delivery_attempt (
  id bigint generated always as identity primary key,
  delivery_id bigint not null references webhook_delivery on delete cascade,
  number int not null,
  at timestamptz not null,
  duration_ms int not null,
  status_code int,
  error text,
  unique (delivery_id, number)
);
