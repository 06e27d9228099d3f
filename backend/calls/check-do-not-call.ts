import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** Whether the number of the `contact` of a query is on the do-not-call list. */
export const isContactOnDoNotCallList = sql<boolean>`exists (
  select from do_not_call
  where do_not_call.workspace_id = contact.workspace_id
    and do_not_call.number_hash = number_hash(contact.workspace_id, contact.phone_number)
)`

export const isOnDoNotCallList = async (
  db: Db,
  workspaceId: number,
  phoneNumber: string,
): Promise<boolean> => {
  const row = await db
    .selectFrom('do_not_call')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .where('number_hash', '=', sql<Buffer>`number_hash(${workspaceId}, ${phoneNumber})`)
    .executeTakeFirst()
  return row !== undefined
}

export const isNumberOnDoNotCallList = (
  workspaceId: number,
  phoneNumber: ReturnType<typeof sql.ref>,
) => sql`exists (
  select from do_not_call
  where do_not_call.workspace_id = ${workspaceId}
    and do_not_call.number_hash = number_hash(${workspaceId}, ${phoneNumber})
)`

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
