// Of large tables, so without a transaction: see docs/project/migrations.md. Each statement can run again.

export const down = false

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
export function up(pgm) {
  pgm.noTransaction()
  pgm.sql('alter table contact validate constraint contact_consent_kind_check')
  pgm.sql('set lock_timeout = 0')
  pgm.sql('drop index concurrently if exists call_waiting_of_campaign')
  // Like the one that it replaces, with delayed_by.
  pgm.sql(`
    create index concurrently call_waiting_of_campaign on call (workspace_id, campaign_id, id)
      include (agent_id, phone_number_id, test, attempts, due_at, next_attempt_at, delayed_by) where status = 'queued'`)
  pgm.sql('drop index concurrently if exists call_queue_of_campaign')
  pgm.sql(`set lock_timeout = '1s'`)
  pgm.sql(`
    comment on index call_waiting_of_campaign is 'Rescheduling a campaign, and the overview''s counts of waiting calls'`)
}
