-- Up Migration

alter table contact_import
  -- Erased contacts whose data a worker still has to remove from the file and its rows: [{phoneNumber, digits, email}]. Empty
  -- once that's done. Until then, nothing of the file is shown, downloaded, or imported.
  add column erasures jsonb not null default '[]';

drop index contact_import_due;
create index contact_import_due on contact_import (id)
  where status in ('uploaded', 'checking', 'importing', 'undoing') or erasures <> '[]';

-- Imports whose file's name contained who an erased contact is. A job removes the name from everything that it's copied to.
create table erased_file_name (
  workspace_id bigint not null references workspace on delete cascade,
  -- The import, which may be deleted already.
  import_id bigint not null,
  primary key (workspace_id, import_id)
);
call protect_table('erased_file_name');
