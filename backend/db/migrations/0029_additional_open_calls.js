/** Finds a contact's open calls that `if_already_queued: queue` has added. `call_open_once` finds the others. */
export function up(pgm) {
  pgm.noTransaction()
  pgm.sql('set lock_timeout = 0')
  pgm.sql('drop index concurrently if exists call_open_additional')
  pgm.sql(`
    create index concurrently call_open_additional on call (campaign_id, contact_id, test)
    where status <> 'completed' and additional`)
  pgm.sql("set lock_timeout = '1s'")
}

export const down = false
