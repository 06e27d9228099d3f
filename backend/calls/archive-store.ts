import { sql } from 'kysely'
import { tryLock } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'

/**
 * Returns true a day after the database got its archive. Until then, processes of an earlier version, which don't read the
 * archive, can run side by side with this one. The migration's time is that of the database's clock.
 */
export async function canArchive(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from schema_migration where name = '0024_archive' and run_on < localtimestamp - interval '1 day'`.execute(
    db,
  )
  return rows.length > 0
}

/** Returns the workspaces with calls that ended before this time and aren't in the archive. */
export async function selectWorkspacesWithEndedCalls(db: Db, endedBefore: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from workspace
    where exists (
      select from call where call.workspace_id = workspace.id and ended_at is not null and ended_at < ${endedBefore}
    )
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Locks the workspace's archive, so that a transaction that looks for all calls of a kind can't miss one that is moving.
 * Returns false, without waiting, if such a transaction or another archiver is running.
 */
export const lockArchiveForMove = (db: Db, workspaceId: number): Promise<boolean> =>
  tryLock(db, sql`archive_lock(${workspaceId})`)

/** Moves up to `limit` calls that ended before `endedBefore` to the archive, oldest first. Returns how many. */
export async function archiveEndedCalls(
  db: Db,
  workspaceId: number,
  { endedBefore, now, limit }: { endedBefore: Date; now: Date; limit: number },
): Promise<number> {
  // For ten days after a contact was erased, its callback URLs are erased as soon as their deliveries have finished
  // (webhooks/erase-events.ts). That looks only at calls that aren't in the archive.
  const { rows } = await sql<{ count: number }>`
    select archive_calls(array(
      select call.id from call join contact on contact.id = call.contact_id
      where call.workspace_id = ${workspaceId} and call.status = 'completed' and call.analysis_until is null
        and call.ended_at is not null and call.ended_at < ${endedBefore}
        and (contact.erased_at is null or contact.erased_at < ${now}::timestamptz - interval '11 days')
        and not exists (
          select from event join webhook_delivery on webhook_delivery.event_id = event.id
          where event.call_id = call.id and webhook_delivery.status = 'pending'
        )
      order by call.ended_at
      limit ${limit}
    )) as count`.execute(db)
  return rows[0]?.count ?? 0
}
