import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import type { TestDeps } from './deps.ts'
import type { TestApi } from './test-api.ts'
import { waitFor, waitForValue } from './wait.ts'

/** Resolves when a transaction of this database waits for another's lock: the interleaving is there. */
export const waitForLockWaiter = (deps: TestDeps): Promise<true> =>
  waitFor(async () => {
    const { rows } = await sql<{ isWaiting: boolean }>`
      select count(*) > 0 as "isWaiting" from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(deps.db)
    return rows[0]?.isWaiting === true
  })

/** Until somebody on this database waits for a lock of another: then an interleaving is what it should be. */
export async function waitForBlockedTransaction(db: Db): Promise<void> {
  await waitForValue(
    () =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      ),
    ({ rows }) => rows.length > 0,
  )
}

/** Resolves when so many transactions of the database wait for a lock, with their process ids. */
export async function waitForLockWaiters({ deps }: TestApi, count: number): Promise<number[]> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(deps.db)
    if (rows.length >= count) return rows.map((row) => row.pid)
  }
}
