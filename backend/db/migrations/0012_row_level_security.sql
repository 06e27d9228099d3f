-- Up Migration

-- Row-level security: a second wall between workspaces, behind the conditions in the statements. The roles exist
-- already (backend/db/roles.ts). Statements of a request run as outdial_workspace, which sees the rows of one workspace.
-- Everything else runs as outdial_service, which sees all rows. Owners of tables are no exception.

create function current_workspace_id() returns bigint
  language sql stable parallel safe
  return nullif(current_setting('outdial.workspace_id', true), '')::bigint;

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

do $$
begin
  -- A schema that was created again, as a restored backup does, has no privileges for everyone.
  execute format('grant usage on schema %I to outdial_service, outdial_workspace', current_schema());
end $$;
grant select on schema_migration to outdial_service;

-- Users who were members. The pages of a workspace name them, for example as those who queued a call.
create table former_member (
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint not null references app_user on delete cascade,
  ended_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
insert into former_member (workspace_id, user_id)
select trace.workspace_id, trace.user_id
from (
  select workspace_id, user_id from api_key
  union select workspace_id, user_id from webhook_subscription
  union select workspace_id, user_id from call_callback
  union select workspace_id, ended_by_user_id from webhook_subscription
  union select workspace_id, removed_by from do_not_call_removal
  union select workspace_id, invited_by from invitation
  union select workspace_id, user_id from contact_import
  union select workspace_id, (origin ->> 'user_id')::bigint from call
  union select workspace_id, (origin ->> 'id')::bigint from call where origin ->> 'kind' in ('member', 'call_again')
  union select workspace_id, (actor ->> 'user_id')::bigint from contact_change
  union select workspace_id, (actor ->> 'id')::bigint from contact_change where actor ->> 'kind' = 'member'
) trace
join app_user on app_user.id = trace.user_id
where not exists (
  select from membership
  where membership.workspace_id = trace.workspace_id and membership.user_id = trace.user_id
);

-- Tables with the column workspace_id.
do $$
declare
  protected regclass;
begin
  for protected in
    select pg_class.oid from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'workspace_id' and not attisdropped
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
  loop
    call protect_table(protected);
  end loop;
end $$;

call protect_table('workspace', 'id = current_workspace_id()', 'select, update');

-- Their rows belong to a row of another table.
call protect_table('contact_change_values', 'exists (
  select from contact_change
  where contact_change.id = contact_change_values.change_id and contact_change.workspace_id = current_workspace_id())');
call protect_table('contact_import_row', 'exists (
  select from contact_import
  where contact_import.id = contact_import_row.import_id and contact_import.workspace_id = current_workspace_id())');
call protect_table('attempt_report', 'exists (
  select from call_attempt
  where call_attempt.id = attempt_report.attempt_id and call_attempt.workspace_id = current_workspace_id())');
call protect_table('delivery_attempt', 'exists (
  select from webhook_delivery
  where webhook_delivery.id = delivery_attempt.delivery_id
    and webhook_delivery.workspace_id = current_workspace_id())');
call protect_table('oauth_payload', 'exists (
  select from oauth_grant
  where oauth_grant.id_hash = oauth_payload.grant_hash and oauth_grant.workspace_id = current_workspace_id())');

-- Users and apps belong to no workspace. A workspace sees the names of its own users, and of all apps.
call protect_table('app_user', 'exists (
  select from membership
  where membership.user_id = app_user.id and membership.workspace_id = current_workspace_id()
) or exists (
  select from former_member
  where former_member.user_id = app_user.id and former_member.workspace_id = current_workspace_id())',
  'select (id, email, name, created_at)');
call protect_table('oauth_client', 'true', 'select (id, name, created_at)');

-- Only for signing in, and for the installation's keys.
call protect_table('session', null);
call protect_table('password_reset', null);
call protect_table('server_secret', null);

-- Searches -----------------------------------------------------------------------------------------------

-- Before the policy has decided about a row, PostgreSQL runs only functions that reveal nothing about it ("leakproof").
-- lower, like, and @@ aren't marked as such, so that a condition with them can't use an index. Comparisons can.

alter table contact
  add column email_folded text generated always as (lower(email)) stored,
  add column first_name_folded text generated always as (lower(first_name collate "und-x-icu")) stored,
  add column last_name_folded text generated always as (lower(last_name collate "und-x-icu")) stored;
drop index contact_email;
drop index contact_first_name;
drop index contact_last_name;
create index contact_email on contact (workspace_id, email_folded) where email_folded is not null;
create index contact_first_name on contact (workspace_id, first_name_folded text_pattern_ops);
create index contact_last_name on contact (workspace_id, last_name_folded text_pattern_ops);

-- Returns the passages of a workspace that match, best first. It runs with the rights of its owner, who inherits those
-- of outdial_service. For outdial_workspace, it finds only passages of the workspace in the transaction's setting.
create function find_passages(workspace bigint, query tsquery, max_count int)
  returns table (passage_id bigint, rank real)
  language sql stable security definer
begin atomic
  select id, ts_rank_cd(search, query) from knowledge_passage
  where search @@ query and workspace_id = case current_setting('role')
    when 'outdial_workspace' then current_workspace_id()
    else workspace
  end
  order by 2 desc, 1
  limit max_count;
end;
revoke execute on function find_passages from public;
grant execute on function find_passages to outdial_service, outdial_workspace;
