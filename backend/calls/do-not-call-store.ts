import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

const hashNumber = (workspaceId: number, phoneNumber: string) =>
  sql<Buffer>`number_hash(${workspaceId}, ${phoneNumber})`

/** The refusal that a number stands under; undefined where it may be called. */
export const findDoNotCallEntry = (db: Db, workspaceId: number, phoneNumber: string) =>
  db
    .selectFrom('do_not_call')
    .select(['source', 'reason', 'created_at as since'])
    .where('workspace_id', '=', workspaceId)
    .where('number_hash', '=', hashNumber(workspaceId, phoneNumber))
    .executeTakeFirst()

/** When a number was taken off the list, by whom and why: the last first. */
export const findDoNotCallRemovals = (db: Db, workspaceId: number, phoneNumber: string) =>
  db
    .selectFrom('do_not_call_removal')
    .leftJoin('app_user', 'app_user.id', 'do_not_call_removal.removed_by')
    .select(['source', 'reason', 'removed_at as at', 'app_user.name as by'])
    .where('workspace_id', '=', workspaceId)
    .where('number_hash', '=', hashNumber(workspaceId, phoneNumber))
    .orderBy('do_not_call_removal.id', 'desc')
    .limit(20)
    .execute()

/** Takes it off and writes down why, in one statement. False where it was not on the list. */
export async function deleteDoNotCall(
  tx: Db,
  workspaceId: number,
  removal: { phoneNumber: string; reason: string; userId: number; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with removed as (
      delete from do_not_call
      where workspace_id = ${workspaceId} and number_hash = number_hash(${workspaceId}, ${removal.phoneNumber})
      returning workspace_id, number_hash, source
    )
    insert into do_not_call_removal (workspace_id, number_hash, source, reason, removed_by, removed_at)
    select workspace_id, number_hash, source, ${removal.reason}, ${removal.userId}, ${removal.at} from removed
    returning id`.execute(tx)
  return rows.length > 0
}
