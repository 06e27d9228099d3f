import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import { asSuperuser } from './database.ts'
import { waitForValue } from './wait.ts'

/** Resolves with the process IDs of the connections that wait for a lock in this database, once there are `count`. */
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

/** Does `work` while no call can be queued in the campaign, as during a dialer's claim. */
export const lockQueue = <Result>(db: Db, campaignId: number, work: () => Promise<Result>): Promise<Result> =>
  db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(queued_call_lock(${campaignId}))`.execute(tx)
    return work()
  })
