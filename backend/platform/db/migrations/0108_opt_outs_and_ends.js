// An index of a large table, so without a transaction: see docs/project/migrations.md. Each statement can run again.

export const down = false

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
export function up(pgm) {
  pgm.noTransaction()

  // True for the call in which the contact opted out. False for test calls, and for opt-outs that were made elsewhere.
  pgm.sql('alter table call add column if not exists opted_out boolean not null default false')
  pgm.sql('set lock_timeout = 0')
  pgm.sql('drop index concurrently if exists call_list_opted_out')
  pgm.sql('create index concurrently call_list_opted_out on call (workspace_id, id desc) where opted_out')
  pgm.sql(`set lock_timeout = '1s'`)
  pgm.sql(`comment on index call_list_opted_out is 'The list of calls in which the contact opted out'`)

  // A delivery without an event is the DELETE request that tells Zapier that its subscription has ended.
  pgm.sql('alter table webhook_delivery alter column event_id drop not null')
  // Whether another subscription has the URL of one that has ended.
  pgm.sql(
    'create index if not exists webhook_subscription_target on webhook_subscription (target_url) where ended_at is null',
  )
}
