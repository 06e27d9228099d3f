-- Up Migration

-- A file of contacts, between its upload and the end of its import. It's deleted after a day.
create table contact_import (
  id bigint generated always as identity primary key,
  workspace_id bigint not null references workspace on delete cascade,
  user_id bigint references app_user on delete set null,
  file_name text not null,
  -- As uploaded, until it has been checked. From then on, only its rows are stored.
  bytes bytea,
  status text not null default 'uploaded' check (status in ('uploaded', 'checked', 'importing', 'done', 'failed')),
  -- Why it failed, in a sentence.
  error text,
  -- [{header, field, variable}], in the order of the file.
  columns jsonb not null default '[]',
  -- The campaign in which its contacts are called. Null: they're only saved.
  campaign_id bigint,
  -- The lease of the process that works on it, by the database's clock. An earlier holder's fence is rejected.
  fence bigint not null default 0,
  lease_until timestamptz,
  -- Leases since it last made progress.
  attempts int not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  foreign key (workspace_id, campaign_id) references campaign (workspace_id, id)
);
create index contact_import_workspace on contact_import (workspace_id, id desc);
create index contact_import_due on contact_import (id) where status in ('uploaded', 'importing');
create index contact_import_expired on contact_import (expires_at);
call protect_table('contact_import');

create table contact_import_row (
  import_id bigint not null references contact_import on delete cascade,
  -- As spreadsheet programs count: the names of the columns are row 1.
  position int not null,
  phone_number text,
  -- As POST /contacts/ accepts them.
  fields jsonb not null default '{}',
  state text not null check (state in ('new', 'existing', 'duplicate', 'invalid')),
  on_do_not_call_list boolean not null default false,
  -- [{column, message}]
  issues jsonb not null default '[]',
  result text check (result in ('created', 'updated', 'failed')),
  call text check (call in ('queued', 'open', 'do_not_call')),
  primary key (import_id, position)
);
create index contact_import_row_number on contact_import_row (import_id, phone_number);
create index contact_import_row_issues on contact_import_row (import_id, position) where issues <> '[]';
create index contact_import_row_left on contact_import_row (import_id, position)
  where result is null and state in ('new', 'existing');
call protect_table('contact_import_row', 'exists (
  select from contact_import
  where contact_import.id = contact_import_row.import_id and contact_import.workspace_id = current_workspace_id())');
