-- Up Migration

alter table contact_import
  -- Erased contacts whose data a worker still has to remove from the file and its rows: [{phoneNumber, digits, email}]. Empty
  -- once that's done. Until then, nothing of the file is shown, downloaded, or imported.
  add column erasures jsonb not null default '[]';

drop index contact_import_due;
create index contact_import_due on contact_import (id)
  where status in ('uploaded', 'checking', 'importing', 'undoing') or erasures <> '[]';
