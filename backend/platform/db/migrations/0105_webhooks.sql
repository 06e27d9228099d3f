-- Up Migration

create table webhook_subscription (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  -- The owner: an API key, or a user, app, and workspace. Never a token, so that it survives a reconnection.
  api_key_id bigint references api_key on delete cascade,
  client_id text references oauth_client on delete cascade,
  target_url text not null,
  event text not null,
  filter jsonb not null,
  -- Encrypted under SECRET_KEY. For 24 hours after a rotation, both secrets sign.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  failing_since timestamptz,
  ended_at timestamptz,
  -- unsubscribed: by a connection or a member. gone: the receiver responded with 410. The others: its owner ended.
  ended_reason text
    check (ended_reason in ('unsubscribed', 'gone', 'app_disconnected', 'key_revoked', 'member_removed')),
  -- Who unsubscribed: a member in the dashboard, or a connection of the member.
  ended_by_user_id bigint references app_user on delete set null,
  ended_by_api_key_id bigint references api_key on delete set null,
  ended_by_client_id text references oauth_client on delete set null,
  check ((api_key_id is null) <> (client_id is null)),
  check ((ended_at is null) = (ended_reason is null))
);
create unique index webhook_subscription_of_key on webhook_subscription (api_key_id, target_url, event, filter)
  where api_key_id is not null and ended_at is null;
create unique index webhook_subscription_of_client
  on webhook_subscription (user_id, client_id, workspace_id, target_url, event, filter)
  where client_id is not null and ended_at is null;
create index webhook_subscription_workspace on webhook_subscription (workspace_id);
create index webhook_subscription_ended on webhook_subscription (ended_at) where ended_at is not null;
call protect_table('webhook_subscription');

-- A URL to which one call's event is also sent, and the connection that asked for it.
create table call_callback (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  call_id bigint not null references call on delete cascade,
  -- '' after an erasure.
  url text not null,
  -- The origin has its own signing secret.
  origin text not null generated always as (lower(coalesce(substring(url from '^[A-Za-z]+://[^/?#]*'), ''))) stored,
  -- The owner: an API key, or a user, app, and workspace.
  user_id bigint references app_user on delete cascade,
  api_key_id bigint references api_key on delete cascade,
  client_id text references oauth_client on delete cascade,
  created_at timestamptz not null,
  -- Set when the connection ends. Nothing is sent after that.
  ended_at timestamptz
);
-- A URL that is added again, by a repeated request for example, isn't sent the event twice.
create unique index call_callback_once on call_callback (call_id, url) where url <> '';
-- Ends the callback URLs of a connection that ends.
create index call_callback_owner on call_callback (workspace_id, user_id) where ended_at is null;
create index call_callback_origin on call_callback (workspace_id, origin) where url <> '';
call protect_table('call_callback');

create table event (
  id text primary key,
  workspace_id bigint not null references workspace on delete cascade,
  type text not null,
  call_id bigint references call on delete cascade,
  -- As signed and sent, byte for byte.
  body text not null,
  created_at timestamptz not null default now(),
  -- The subscriptions that it wasn't sent to, with the reason of each: [{"id", "reason"}], at most 50, and how many there
  -- were. Null for test events.
  unmatched jsonb,
  unmatched_count int,
  -- How many subscriptions it had a delivery for when it was created. Their deliveries are deleted 30 days after a
  -- subscription ends. Null for test events.
  matched_count int,
  unique (call_id, type)
);
call protect_table('event');

create table webhook_delivery (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  event_id text not null references event on delete cascade,
  -- It's sent to a subscription, or else to a callback URL. The callback URL is null after an erasure.
  subscription_id bigint references webhook_subscription on delete cascade,
  callback_id bigint references call_callback on delete set null,
  target_url text not null,
  -- Host and port: deliveries to one receiver must not make those to others wait.
  target_host text not null
    generated always as (lower(coalesce(substring(target_url from '^[A-Za-z]+://([^/?#]*)'), ''))) stored,
  -- canceled: the subscription or the connection ended before the event was delivered.
  status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted', 'gone', 'canceled')),
  attempts int not null default 0,
  next_attempt_at timestamptz,
  -- True after a failed attempt, until the delivery is due again. A sender then sets it to false. Meanwhile, the delivery
  -- isn't in the index webhook_delivery_lane, so that senders don't look at receivers for which nothing is due.
  waits_for_retry boolean not null default false,
  worker_id uuid,
  fence bigint not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((status = 'pending') = (next_attempt_at is not null))
) with (
  -- Leasing a delivery changes no indexed column. With free space in its page, PostgreSQL then leaves the indexes as they
  -- are.
  fillfactor = 80
);
create unique index webhook_delivery_once on webhook_delivery (event_id, subscription_id)
  where subscription_id is not null;
create index webhook_delivery_event on webhook_delivery (event_id);
-- Foreign keys have no index of their own.
create index webhook_delivery_of_callback on webhook_delivery (callback_id) where callback_id is not null;

-- Deliveries take turns: between hosts, and for each host between its lanes. A lane has the deliveries of a subscription,
-- or those to all callback URLs of a workspace; its ID is the subscription's or the workspace's with a minus. Senders skip
-- from one host or lane to the next in this index, so that the length of a backlog makes no difference.
create index webhook_delivery_lane
  on webhook_delivery (target_host, (coalesce(subscription_id, -workspace_id)), next_attempt_at, id)
  where status = 'pending' and not waits_for_retry;
-- Retries that have become due.
create index webhook_delivery_retry on webhook_delivery (next_attempt_at) where status = 'pending' and waits_for_retry;
create index webhook_delivery_due on webhook_delivery (target_host, next_attempt_at, id) where status = 'pending';

-- The lists of a subscription and of the callback URLs, and what of them waits or has failed.
create index webhook_delivery_subscription on webhook_delivery (subscription_id, id desc);
create index webhook_delivery_unsent on webhook_delivery (subscription_id, status, id desc)
  where status in ('pending', 'exhausted');
create index webhook_delivery_callback on webhook_delivery (workspace_id, id desc) where subscription_id is null;
create index webhook_delivery_callback_unsent on webhook_delivery (workspace_id, status, id desc)
  where subscription_id is null and status in ('pending', 'exhausted');
create index webhook_delivery_exhausted on webhook_delivery (workspace_id, id desc) where status = 'exhausted';
call protect_table('webhook_delivery');

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
call protect_table('delivery_attempt', 'exists (
  select from webhook_delivery
  where webhook_delivery.id = delivery_attempt.delivery_id
    and webhook_delivery.workspace_id = current_workspace_id())');
