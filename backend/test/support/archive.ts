import { sql } from 'kysely'
import { startArchiver } from '../../calls/archive-calls.ts'
import { dayMs } from '../../core/durations.ts'
import type { Db } from '../../db/schema.ts'
import { ManualClock } from './clock.ts'
import { asSuperuser } from './database.ts'
import type { TestDeps } from './deps.ts'
import { waitUntil } from './wait.ts'

/** The tables whose rows move to the archive with their call. */
export const archivedTables = [
  'call',
  'call_attempt',
  'tool_call',
  'event',
  'webhook_delivery',
  'delivery_attempt',
] as const

/** Makes it days since the database got its archive, so that calls can move there. */
export const allowArchiving = (db: Db) =>
  asSuperuser(db, (connection) =>
    sql`update schema_migration set run_on = localtimestamp - interval '2 days' where name = '0024_archive'`.execute(
      connection,
    ),
  )

/**
 * Moves the calls that have ended to the archive. Runs the job until nothing is left, by a clock that is `days` ahead of
 * the test's.
 */
export async function archiveCalls(
  deps: TestDeps,
  { days = deps.config.archiveAfterDays + 1, isAllowed = true } = {},
): Promise<void> {
  if (isAllowed) await allowArchiving(deps.db)
  const clock = new ManualClock(new Date(deps.clock.now().getTime() + days * dayMs).toISOString())
  const errors: unknown[] = []
  const log = Object.assign(Object.create(deps.log) as typeof deps.log, {
    error: (details: unknown) => void errors.push(details),
  })
  const job = startArchiver({ ...deps, clock, log })
  await waitUntil(() => clock.waiting > 0)
  await job.stop()
  if (errors.length > 0) throw new Error(`The calls weren't archived: ${JSON.stringify(errors)}`)
}

/** Returns the IDs of a workspace's archived calls, in order. */
export const listArchivedCalls = async (
  { db }: Pick<TestDeps, 'db'>,
  workspaceId: number,
): Promise<number[]> => {
  const rows = await db
    .selectFrom('archived_call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
