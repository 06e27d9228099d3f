-- Up Migration

create table contact (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  -- E.164. '' after an erasure.
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
  -- Who last changed the contact: {kind, id, call_id, user_id, name}, like the origin of a call.
  updated_by jsonb,
  -- When everything that says who the contact is was erased. The row stays, because calls refer to it.
  erased_at timestamptz,
  -- What users search in: any part of a name, an email address, an external ID, or a number.
  search text generated always as (
    lower((coalesce(first_name || ' ', '') || coalesce(last_name || ' ', '') || coalesce(email || ' ', '')
      || coalesce(external_id || ' ', '') || phone_number) collate "und-x-icu")
  ) stored,
  -- Before a policy has decided about a row, PostgreSQL runs only functions that reveal nothing about it ("leakproof").
  -- lower, like, and @@ aren't marked as such, so that a condition with them can't use an index. Comparisons can.
  email_folded text generated always as (lower(email)) stored,
  first_name_folded text generated always as (lower(first_name collate "und-x-icu")) stored,
  last_name_folded text generated always as (lower(last_name collate "und-x-icu")) stored,
  unique (workspace_id, id),
  check ((consent_source is null) = (consent_at is null)),
  check ((erased_at is null) = (phone_number <> ''))
);
create unique index contact_number on contact (workspace_id, phone_number) where erased_at is null;
create index contact_erased on contact (erased_at) where erased_at is not null;
-- What agents look contacts up by, in addition to the number.
create index contact_email on contact (workspace_id, email_folded) where email_folded is not null;
create index contact_external_id on contact (workspace_id, external_id) where external_id is not null;
-- Searches by the start of a name.
create index contact_first_name on contact (workspace_id, first_name_folded text_pattern_ops);
create index contact_last_name on contact (workspace_id, last_name_folded text_pattern_ops);
call protect_table('contact');

-- The argument of upsert_contacts.
create type contact_values as (
  phone_number text,
  -- By column. A missing column keeps its value, null clears it, and variables are merged over the stored ones.
  changes jsonb,
  changed_by jsonb
);

-- Each change of a contact, without the values. It stays when the contact is erased.
create table contact_change (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  contact_id bigint not null,
  kind text not null check (kind in ('created', 'updated')),
  -- The columns that changed.
  fields text[] not null,
  actor jsonb,
  at timestamptz not null,
  foreign key (workspace_id, contact_id) references contact (workspace_id, id) on delete cascade
);
create index contact_change_of_contact on contact_change (contact_id, id desc);
call protect_table('contact_change');

-- The values of a change, by column. Deleted when the contact is erased.
create table contact_change_values (
  change_id bigint primary key references contact_change on delete cascade,
  contact_id bigint not null,
  old_values jsonb not null,
  new_values jsonb not null
);
create index contact_change_values_of_contact on contact_change_values (contact_id);
call protect_table('contact_change_values', 'exists (
  select from contact_change
  where contact_change.id = contact_change_values.change_id and contact_change.workspace_id = current_workspace_id())');

-- The numbers that aren't called.
create table do_not_call (
  workspace_id bigint not null references workspace on delete cascade,
  -- The function number_hash of the number in E.164. It must outlive the contact without revealing the number.
  number_hash bytea not null,
  source text not null check (source in ('api', 'dashboard', 'call')),
  -- Why the number is on the list. Null after the contact was erased.
  reason text,
  -- Who added it: {kind, id, user_id}, like the actor of a contact's change. Null if it was added from the command line, and
  -- for erased contacts.
  added_by jsonb,
  created_at timestamptz not null default now(),
  primary key (workspace_id, number_hash)
);
call protect_table('do_not_call');

-- Who took a number off the list, and why.
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
call protect_table('do_not_call_removal');
