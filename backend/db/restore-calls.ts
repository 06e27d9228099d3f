import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/**
 * Moves archived calls back to the tables of current calls, with everything about them, so that this transaction can
 * change them. Call it in a transaction, before the statements that look for the rows to change: they see all rows,
 * because no call of the workspace is moved to the archive until the transaction ends.
 *
 * @param selectIds a query of call IDs, for example from `archived_call`
 * @returns how many calls
 */
export async function restoreCalls(
  db: Db,
  workspaceId: number,
  selectIds: RawBuilder<unknown>,
): Promise<number> {
  // A statement of its own: the next one sees what the transaction that it waited for has moved.
  await sql`select pg_advisory_xact_lock_shared(archive_lock(${workspaceId}))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select restore_calls(${workspaceId}, array(${selectIds})) as count`.execute(db)
  return rows[0]?.count ?? 0
}
