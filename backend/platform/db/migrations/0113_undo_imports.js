// Indexes of large tables, so without a transaction: see docs/project/migrations.md. Each statement can run again.

export const down = false

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
export function up(pgm) {
  pgm.noTransaction()

  pgm.sql('alter table contact_import drop constraint if exists contact_import_status_check')
  pgm.sql(`
    alter table contact_import add constraint contact_import_status_check check (status in (
      'uploaded', 'mapping', 'checking', 'checked', 'importing', 'done', 'failed', 'undoing', 'undone'
    )) not valid`)
  pgm.sql('alter table contact_import validate constraint contact_import_status_check')
  pgm.sql(`
    alter table contact_import
      -- Who pressed "Undo import": {kind, id}, a member.
      add column if not exists undone_by jsonb,
      add column if not exists undone_at timestamptz,
      -- The contact with which the undo continues is the next one after this. Null until its calls have been canceled.
      add column if not exists undo_after_contact_id bigint,
      -- What the undo has done: {calls, removed, restored, left: {reason: number}}.
      add column if not exists undo_counts jsonb`)
  pgm.sql('drop index if exists contact_import_due')
  pgm.sql(`
    create index contact_import_due on contact_import (id)
      where status in ('uploaded', 'checking', 'importing', 'undoing')`)

  // The import that queued a call or changed a contact, as in its origin or actor. With row-level security, a condition on
  // JSON can't use an index. No foreign key: it stays when the import is deleted.
  pgm.sql('alter table call add column if not exists import_id bigint')
  pgm.sql('alter table contact_change add column if not exists import_id bigint')
  pgm.sql('set lock_timeout = 0')
  pgm.sql('drop index concurrently if exists call_list_import')
  pgm.sql(`
    create index concurrently call_list_import on call (workspace_id, import_id, id desc) where import_id is not null`)
  pgm.sql('drop index concurrently if exists contact_change_import')
  pgm.sql(`
    create index concurrently contact_change_import on contact_change (workspace_id, import_id, contact_id desc)
      include (kind) where import_id is not null`)
  pgm.sql(`set lock_timeout = '1s'`)
  pgm.sql(`comment on index call_list_import is 'The list of calls of an import'`)
}
