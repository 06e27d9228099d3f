-- Up Migration

alter table call_rules
  -- Call attempts to a number in 24 hours and in 30 days, over all campaigns. Null: any number of them.
  add column max_attempts_per_day int check (max_attempts_per_day between 1 and 10),
  add column max_attempts_per_30_days int check (max_attempts_per_30_days between 1 and 30),
  -- The least that campaigns require.
  add column consent_required text not null default 'none' check (consent_required in ('none', 'any', 'written')),
  -- Null: consent of any age.
  add column consent_max_age_days int check (consent_max_age_days between 1 and 3650),
  -- Call attempts from each of the workspace's numbers on a day, and minutes of conversation in a month, both in the
  -- workspace's time zone. Null: any number of them.
  add column max_attempts_per_own_number int check (max_attempts_per_own_number between 1 and 10000),
  add column max_minutes_per_month int check (max_minutes_per_month between 30 and 1000000);

alter table campaign
  -- Contacts who haven't given this consent aren't called. Null: of any age.
  add column consent_required text not null default 'none' check (consent_required in ('none', 'any', 'written')),
  add column consent_max_age_days int check (consent_max_age_days between 1 and 3650),
  -- After a conversation with a number, in any campaign, this one doesn't call it for 24 hours.
  add column one_conversation_per_day boolean not null default false,
  -- Nobody is called on federal holidays of the United States, by the contact's local date.
  add column closed_on_federal_holidays boolean not null default false;

alter table call
  -- The rule that next_attempt_at follows: frequency. Null if it's calling hours, the law, or closed days.
  add column delayed_by text,
  -- The first attempt doesn't wait for the frequency: a member confirmed that, or the contact asked to be called at this time.
  add column exempt boolean not null default false;
alter type call_request add attribute delayed_by text, add attribute exempt boolean;

-- When numbers were called, over all campaigns of a workspace. A row stays when its contact is erased, and is deleted 30 days
-- after the last attempt. Only a transaction that has locked the live attempt to a number writes its row.
create table number_use (
  workspace_id bigint not null references workspace on delete cascade,
  -- The function number_hash of the number in E.164.
  number_hash bytea not null,
  -- When the newest 30 call attempts were placed, oldest first.
  placed_at timestamptz[] not null,
  -- When the last conversation began.
  answered_at timestamptz,
  primary key (workspace_id, number_hash)
);
call protect_table('number_use');

alter table contact_import_row
  drop constraint contact_import_row_call_check,
  add constraint contact_import_row_call_check check (call in (
    'queued', 'open', 'do_not_call', 'no_consent', 'country_not_allowed', 'consent_missing', 'consent_expired',
    'destination_not_allowed', 'frequency', 'no_permitted_hour'
  )) not valid;

-- How much of a workspace's limits is used: attempts from one of its numbers on a day, or seconds of conversation in a month.
-- Counted from when a limit is set. The workspace's own row is locked first, so that a change of the limits and a claim that they
-- stop can't miss each other.
create table limit_use (
  workspace_id bigint not null references workspace on delete cascade,
  -- 0: the workspace, for its minutes.
  phone_number_id bigint not null,
  -- The day, or the first day of the month, in the workspace's time zone.
  period date not null,
  used int not null,
  primary key (workspace_id, phone_number_id)
);
call protect_table('limit_use');

alter table campaign_queue
  -- Only a limit stops the campaign, and ends then. Queued calls don't put it in the queue before.
  add column limited_until timestamptz,
  -- number_limit or minutes_limit
  add column limited_by text;
