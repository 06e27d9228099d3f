-- Up Migration

-- A file is read, its columns are mapped by a person, and its rows are checked, before anything is imported. It's deleted
-- after seven days.
alter table contact_import
  drop constraint contact_import_status_check,
  add constraint contact_import_status_check check (status in (
    'uploaded', 'mapping', 'checking', 'checked', 'importing', 'done', 'failed', 'undoing', 'undone'
  )) not valid,
  -- The first values of each column, in the order of the file. They're cleared together with the bytes.
  add column samples jsonb not null default '[]',
  -- False if the first row is a contact.
  add column has_header boolean not null default true,
  -- True if an earlier file with the same headers was mapped so, until a person confirms it.
  add column is_recalled boolean not null default false,
  -- Where and when everyone in the file agreed to be called, if a person typed it: {source, at}.
  add column consent jsonb not null default '{}';

drop index contact_import_due;
create index contact_import_due on contact_import (id)
  where status in ('uploaded', 'checking', 'importing', 'undoing');

alter table contact_import_row
  -- As in the file, if the row is rejected: it's downloaded, corrected, and uploaded again.
  add column cells jsonb,
  drop constraint contact_import_row_call_check,
  add constraint contact_import_row_call_check check (call in ('queued', 'open', 'do_not_call', 'no_consent')) not valid;
alter table contact_import validate constraint contact_import_status_check;
alter table contact_import_row validate constraint contact_import_row_call_check;

-- What the columns of earlier files contained, for the next file with the same headers.
create table contact_import_mapping (
  workspace_id bigint not null references workspace on delete cascade,
  -- SHA-256 of the normalized headers. They can be anything, so they aren't stored.
  headers_hash bytea not null,
  -- [{use, rank}], in the order of the file.
  columns jsonb not null,
  used_at timestamptz not null,
  primary key (workspace_id, headers_hash)
);
call protect_table('contact_import_mapping');
