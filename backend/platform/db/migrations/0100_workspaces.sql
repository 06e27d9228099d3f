-- Up Migration

-- The walls between workspaces ------------------------------------------------------------------------------

-- Row-level security: a second wall, behind the conditions in the statements. The roles exist already
-- (backend/platform/db/roles.ts). Statements of a request run as outdial_workspace, which sees the rows of one workspace. Everything
-- else runs as outdial_service, which sees all rows. Owners of tables are no exception.
do $$
begin
  -- A schema that was created again, as a restored backup does, has no privileges for everyone.
  execute format('grant usage on schema %I to outdial_service, outdial_workspace', current_schema());
end $$;
grant select on schema_migration to outdial_service;

-- The workspace of a statement that runs as outdial_workspace. Without the setting, it raises an error: otherwise, the
-- statement would see no rows, so that a missing setting would look like a missing object or an invalid credential. After
-- a transaction that set it only for itself, the setting is empty, which isn't a bigint.
create function current_workspace_id() returns bigint
  language sql stable parallel safe
  return current_setting('outdial.workspace_id')::bigint;

-- Protects a table. Every later migration that creates a table calls it: a test fails otherwise.
-- workspace_rows: the rows that a workspace may read and write. Null: none, and no privileges either.
-- workspace_privileges: what it may do with them.
create procedure protect_table(
  protected regclass,
  workspace_rows text default 'workspace_id = current_workspace_id()',
  workspace_privileges text default 'select, insert, update, delete'
) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('grant select, insert, update, delete on %s to outdial_service', protected);
  execute format('create policy service on %s to outdial_service using (true)', protected);
  if workspace_rows is null then return; end if;
  execute format('grant %s on %s to outdial_workspace', workspace_privileges, protected);
  execute format('create policy workspace on %s to outdial_workspace using (%s)', protected, workspace_rows);
end $$;

-- Which versions of the functions in backend/platform/db/functions/ the database has.
create table schema_function (
  -- The file's name without .sql.
  name text primary key,
  -- SHA-256 of the file.
  hash text not null,
  -- The version of all functions when this one was applied.
  version int not null
);
grant select on schema_function to outdial_service;

-- Workspaces and users --------------------------------------------------------------------------------------

create table workspace (
  id bigint generated always as identity primary key,
  name text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  time_zone text not null,
  calling_hours jsonb not null default '{"days":["mon","tue","wed","thu","fri"],"start":"09:00","end":"17:00"}',
  -- The form that created it: sent twice, it creates one workspace.
  form_id uuid unique,
  -- Signs deliveries to callback URLs. Encrypted under SECRET_KEY. For 24 hours after a rotation, both secrets sign.
  webhook_secret text not null,
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz,
  -- Part of what the do-not-call list stores instead of a phone number (do_not_call).
  number_salt bytea not null default decode(replace(gen_random_uuid()::text, '-', ''), 'hex'),
  -- For how many days after a call's end its conversation is stored. Null: for as long as the call.
  retention_days int check (retention_days between 1 and 3650),
  -- A shorter retention takes effect after a day. Until then, the workspace keeps `retention_days`.
  pending_retention_days int check (pending_retention_days between 1 and 3650),
  pending_retention_at timestamptz,
  created_at timestamptz not null default now(),
  check ((pending_retention_days is null) = (pending_retention_at is null))
);
call protect_table('workspace', 'id = current_workspace_id()', 'select, update');

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
call protect_table('membership');

-- Users who were members. The pages of a workspace name them, for example as those who queued a call.
create table former_member (
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  ended_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
call protect_table('former_member');

-- Users belong to no workspace. A workspace sees the names of its own users.
call protect_table('app_user', 'exists (
  select from membership
  where membership.user_id = app_user.id and membership.workspace_id = current_workspace_id()
) or exists (
  select from former_member
  where former_member.user_id = app_user.id and former_member.workspace_id = current_workspace_id())',
  'select (id, email, name, created_at)');

-- Sign-in ---------------------------------------------------------------------------------------------------

create table session (
  id_hash bytea primary key,
  -- What users see of a session, and end it by: its token's hash isn't shown anywhere.
  id bigint generated always as identity unique,
  user_id bigint not null references app_user on delete cascade,
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index session_of_user on session (user_id);
call protect_table('session', null);

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
call protect_table('invitation');

create table password_reset (
  token_hash bytea primary key,
  user_id bigint not null references app_user on delete cascade,
  -- The owner who created the link, and who must still have the right to when it's used. Null: an operator.
  created_by bigint references app_user on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_reset_user on password_reset (user_id);
call protect_table('password_reset', null);
