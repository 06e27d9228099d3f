-- Up Migration

-- People ----------------------------------------------------------------------------------------

alter table session
  -- What a person is shown of a session, and ends it by: the hash of its token tells nothing and goes nowhere.
  add column id bigint generated always as identity unique,
  add column user_agent text not null default '',
  add column last_seen_at timestamptz not null default now();

create table invitation (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  token_hash bytea not null unique,
  email text not null,
  role text not null check (role in ('owner', 'member')),
  invited_by bigint references app_user on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz
);
create index invitation_workspace on invitation (workspace_id, id desc);

create table password_reset (
  token_hash bytea primary key,
  user_id bigint not null references app_user on delete cascade,
  -- The owner who made the link, and must still be allowed to when it is used; null: whoever runs the installation.
  made_by bigint references app_user on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_reset_user on password_reset (user_id);

-- Workspaces ------------------------------------------------------------------------------------

alter table workspace
  -- The form that made it: sent twice, it makes one workspace.
  add column form_id uuid unique,
  -- Days after a call's end for which its talk is kept; null: for ever.
  add column retention_days int check (retention_days between 1 and 3650),
  -- For 24 hours after a rotation both sign.
  add column previous_webhook_secret text,
  add column previous_webhook_secret_until timestamptz;

-- When what was said in it was erased, because it was older than its workspace keeps talks.
alter table call add column talk_erased_at timestamptz;
create index call_talk on call (workspace_id, ended_at) where status = 'completed' and talk_erased_at is null;

-- When the app last did something, for the list of connected apps.
alter table oauth_grant add column last_used_at timestamptz;

-- Why a number is not called any more, and, where that was taken back, who did it and why.
alter table do_not_call add column reason text;

create table do_not_call_removal (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  number_hash bytea not null,
  source text not null,
  reason text not null,
  removed_by bigint references app_user on delete set null,
  removed_at timestamptz not null default now()
);
create index do_not_call_removal_number on do_not_call_removal (workspace_id, number_hash);

-- Contacts --------------------------------------------------------------------------------------

alter table contact
  -- When all that tells who it was was erased. The row stays, since calls name it; its number is ''.
  add column erased_at timestamptz,
  -- What people search, as they write it: any part of a name, an address, an id or a number.
  add column search text generated always as (
    lower((coalesce(first_name || ' ', '') || coalesce(last_name || ' ', '') || coalesce(email || ' ', '')
      || coalesce(external_id || ' ', '') || phone_number) collate "und-x-icu")
  ) stored,
  add check ((erased_at is null) = (phone_number <> '')),
  drop constraint contact_workspace_id_phone_number_key;
create unique index contact_number on contact (workspace_id, phone_number) where erased_at is null;
create index contact_erased on contact (erased_at) where erased_at is not null;
-- Stored answers hold the contact that they were about.
create index idempotent_answer_contact on idempotent_answer (workspace_id, (body -> 'contact' ->> 'id'))
  where body -> 'contact' ->> 'id' is not null;

-- A file of contacts, between being sent and being imported. It goes after a day.
create table contact_import (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint references app_user on delete set null,
  file_name text not null,
  -- As sent, until it has been checked: its rows are kept then.
  bytes bytea,
  status text not null default 'uploaded' check (status in ('uploaded', 'checked', 'importing', 'done', 'failed')),
  -- Why it failed, in a sentence.
  problem text,
  -- [{header, field, variable}], in the order of the file.
  columns jsonb not null default '[]',
  -- Where its contacts are called; null: they are kept only.
  campaign_id bigint,
  -- Whoever works on it: the lease is on the database's clock, and an older holder's fence is refused.
  fence bigint not null default 0,
  lease_until timestamptz,
  -- Leases since it last came forward.
  tries int not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  foreign key (workspace_id, campaign_id) references campaign (workspace_id, id)
);
create index contact_import_workspace on contact_import (workspace_id, id desc);
create index contact_import_due on contact_import (id) where status in ('uploaded', 'importing');
create index contact_import_expired on contact_import (expires_at);

create table contact_import_row (
  import_id bigint not null references contact_import on delete cascade,
  -- As spreadsheet programs count: the names of the columns are row 1.
  position int not null,
  phone_number text,
  -- As POST /contacts/ takes them.
  fields jsonb not null default '{}',
  state text not null check (state in ('new', 'known', 'duplicate', 'wrong')),
  is_refused boolean not null default false,
  -- [{column, message}]
  problems jsonb not null default '[]',
  result text check (result in ('created', 'updated', 'failed')),
  call text check (call in ('queued', 'open', 'refused')),
  primary key (import_id, position)
);
create index contact_import_row_number on contact_import_row (import_id, phone_number);
create index contact_import_row_wrong on contact_import_row (import_id, position) where problems <> '[]';
create index contact_import_row_left on contact_import_row (import_id, position) where result is null and state in ('new', 'known');

-- What pages look for ---------------------------------------------------------------------------

-- A day's calls are counted, and what waits too, from the index alone.
create index call_ended on call (workspace_id, ended_at) include (outcome, test, duration_seconds) where ended_at is not null;
create index call_queue on call (workspace_id, campaign_id) include (agent_id, phone_number_id, test, attempts, due_at, next_attempt_at) where status = 'queued';
create index call_queued on call (workspace_id, queued_at, id);
create index call_test on call (workspace_id, id desc) where test;
-- People look for the beginning of a number or a name.
create index call_number on call (workspace_id, to_number text_pattern_ops);
create index contact_first_name on contact (workspace_id, lower(first_name collate "und-x-icu") text_pattern_ops);
create index contact_last_name on contact (workspace_id, lower(last_name collate "und-x-icu") text_pattern_ops);
create index call_contact on call (workspace_id, contact_id, id desc);
create index webhook_delivery_event on webhook_delivery (event_id);
create index webhook_delivery_dead on webhook_delivery (workspace_id, id desc) where status = 'dead';
create index call_progress on call (campaign_id, outcome) where outcome is not null and not test;
create index call_open on call (campaign_id, status) where status <> 'completed' and not test;
-- What waits or has failed, of a subscription and of all callback URLs.
create index webhook_delivery_unsent on webhook_delivery (subscription_id, status, id desc) where status in ('pending', 'dead');
create index webhook_delivery_callback on webhook_delivery (workspace_id, id desc) where subscription_id is null;
create index webhook_delivery_callback_unsent on webhook_delivery (workspace_id, status, id desc)
  where subscription_id is null and status in ('pending', 'dead');
