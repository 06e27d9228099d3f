// Of large tables, so without a transaction: see docs/project/migrations.md. Each statement can run again.

export const down = false

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
export function up(pgm) {
  pgm.noTransaction()
  pgm.sql('alter table tool_call validate constraint tool_call_attempt_check')
  pgm.sql('alter table tool_call validate constraint tool_call_owner_check')
  pgm.sql('set lock_timeout = 0')
  pgm.sql('drop index concurrently if exists tool_call_conversation')
  pgm.sql(`
    create index concurrently tool_call_conversation on tool_call (conversation_id, id)
      where conversation_id is not null`)
  pgm.sql(`set lock_timeout = '1s'`)
}
