import { type Expression, sql } from 'kysely'
import { type StoredNumber, storedNumberOfCallee } from '../../platform/db/call-rules.ts'
import { prepared } from '../../platform/db/connect.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Returns an SQL condition that matches a number, given as a column or a value, on the workspace's do-not-call list. */
const isListed = (workspaceId: Expression<unknown> | number, phoneNumber: Expression<unknown> | string) =>
  sql<boolean>`is_listed(${workspaceId}, ${phoneNumber})`

/** An SQL condition that matches if the number of the query's `contact` is on the do-not-call list. */
export const isContactOnDoNotCallList = isListed(
  sql.ref('contact.workspace_id'),
  sql.ref('contact.phone_number'),
)

export async function isOnDoNotCallList(db: Db, workspaceId: number, phoneNumber: string): Promise<boolean> {
  const listed = isListed(workspaceId, phoneNumber).as('listed')
  return (await db.selectNoFrom(listed).executeTakeFirstOrThrow()).listed
}

/** Returns, by call ID, what is stored about the numbers that calls dial. */
export async function findStoredNumbers(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<Map<number, StoredNumber>> {
  if (callIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('call')
    .select(['id', storedNumberOfCallee.as('number')])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .modifyFront(prepared)
    .execute()
  return new Map(rows.map(({ id, number }) => [id, number]))
}

const hashNumber = (workspaceId: number, phoneNumber: string) =>
  sql<Buffer>`number_hash(${workspaceId}, ${phoneNumber})`

/**
 * Finds the first of these numbers that is on the do-not-call list, and returns why, when, and by whom it was added. Returns
 * undefined if none of them is on the list.
 */
export const findDoNotCallEntry = (db: Db, workspaceId: number, ...phoneNumbers: string[]) =>
  db
    .selectFrom('do_not_call')
    .innerJoin(
      sql<{
        phone_number: string
        position: number
      }>`unnest(${phoneNumbers}::text[]) with ordinality`.as<'listed'>(sql`listed (phone_number, position)`),
      (join) => join.on('number_hash', '=', sql<Buffer>`number_hash(${workspaceId}, listed.phone_number)`),
    )
    .select([
      'listed.phone_number as phoneNumber',
      'source',
      'reason',
      'created_at as since',
      'added_by as addedBy',
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('listed.position')
    .limit(1)
    .executeTakeFirst()

/** Returns when, by whom, and why a number was removed from the list, for the last 20 times, latest first. */
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
