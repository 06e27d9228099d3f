-- Up Migration

-- Callback URLs --------------------------------------------------------------------------------------

-- A URL to which one call's event is also sent, and the connection that asked for it.
create table call_callback (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  call_id bigint not null references call on delete cascade,
  -- '' after an erasure.
  url text not null,
  -- The origin has its own signing secret.
  origin text not null generated always as (lower(coalesce(substring(url from '^[A-Za-z]+://[^/?#]*'), ''))) stored,
  -- The owner: an API key, or (user, client, workspace). Null if it was added before owners were stored.
  user_id bigint references app_user on delete cascade,
  api_key_id bigint references api_key on delete cascade,
  client_id text references oauth_client on delete cascade,
  created_at timestamptz not null,
  -- Set when the connection ends. Nothing is sent after that.
  ended_at timestamptz
);
-- A URL that is added again, by a repeated request for example, isn't sent the event twice.
create unique index call_callback_once on call_callback (call_id, url) where url <> '';
-- For the end of a connection.
create index call_callback_owner on call_callback (workspace_id, user_id) where ended_at is null;
create index call_callback_origin on call_callback (workspace_id, origin) where url <> '';

insert into call_callback (workspace_id, call_id, url, created_at)
select workspace_id, id, callback_url, queued_at from call where callback_url is not null;

alter table webhook_delivery add column callback_id bigint references call_callback on delete set null;
update webhook_delivery d set callback_id = c.id
from event e, call_callback c
where d.subscription_id is null and e.id = d.event_id and c.call_id = e.call_id and c.url = d.target_url;
-- Foreign keys have no index of their own.
create index webhook_delivery_of_callback on webhook_delivery (callback_id) where callback_id is not null;

alter table call drop column callback_url;

-- Subscriptions that have ended ----------------------------------------------------------------------

alter table webhook_subscription
  add column ended_at timestamptz,
  -- unsubscribed: by a connection or a member. gone: the receiver responded with 410. The others: its owner ended.
  add column ended_reason text
    check (ended_reason in ('unsubscribed', 'gone', 'app_disconnected', 'key_revoked', 'member_removed')),
  -- Who unsubscribed: a member in the dashboard, or a connection of the member.
  add column ended_by_user_id bigint references app_user on delete set null,
  add column ended_by_api_key_id bigint references api_key on delete set null,
  add column ended_by_client_id text references oauth_client on delete set null,
  add check ((ended_at is null) = (ended_reason is null));

drop index webhook_subscription_of_key;
drop index webhook_subscription_of_client;
create unique index webhook_subscription_of_key on webhook_subscription (api_key_id, target_url, event, filter)
  where api_key_id is not null and ended_at is null;
create unique index webhook_subscription_of_client
  on webhook_subscription (user_id, client_id, workspace_id, target_url, event, filter)
  where client_id is not null and ended_at is null;
create index webhook_subscription_ended on webhook_subscription (ended_at) where ended_at is not null;

-- canceled: the subscription or the connection ended before the event was delivered.
alter table webhook_delivery drop constraint webhook_delivery_status_check;
alter table webhook_delivery add constraint webhook_delivery_status_check
  check (status in ('pending', 'delivered', 'exhausted', 'gone', 'canceled'));

-- The subscriptions that the event wasn't sent to, with the reason of each: [{"id", "reason"}], at most 50, and how many
-- there were. Null for events from before this was stored.
alter table event add column unmatched jsonb, add column unmatched_count int;
