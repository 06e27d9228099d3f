import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import { asSuperuser } from './database.ts'
import { waitForValue } from './wait.ts'

/** Waits until `count` connections to this database wait for a lock, and returns their process IDs. */
export async function waitForLockWaiters(db: Db, count = 1): Promise<number[]> {
  const { rows } = await waitForValue(
    () =>
      asSuperuser(db, (connection) =>
        sql<{ pid: number }>`
          select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(connection),
      ),
    (result) => result.rows.length >= count,
  )
  return rows.map(({ pid }) => pid)
}

/**
 * Takes the lock of a dialer's claim, so that no call can be queued in the campaign, and does `work` before releasing the
 * lock.
 */
export const lockQueue = <Result>(db: Db, campaignId: number, work: () => Promise<Result>): Promise<Result> =>
  db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(queued_call_lock(${campaignId}))`.execute(tx)
    return work()
  })
