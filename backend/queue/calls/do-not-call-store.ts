import { sql } from 'kysely'
import type { Actor } from '../../platform/core/actor.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Deletes a number from the list and saves why, in one statement. Returns false if it wasn't on the list. */
export async function deleteDoNotCallEntry(
  db: Db,
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
    returning id`.execute(db)
  return rows.length > 0
}

/** Adds numbers to the list. A number that's already on it keeps its first source, reason, and actor. */
export const insertDoNotCallEntries = async (
  db: Db,
  workspaceId: number,
  entry: {
    phoneNumbers: readonly string[]
    source: 'api' | 'dashboard' | 'call'
    reason: string | null
    addedBy: Actor | null
    at: Date
  },
): Promise<void> => {
  await db
    .insertInto('do_not_call')
    .values(
      entry.phoneNumbers.map((phoneNumber) => ({
        workspace_id: workspaceId,
        number_hash: sql<Buffer>`number_hash(${workspaceId}, ${phoneNumber})`,
        source: entry.source,
        reason: entry.reason,
        created_at: entry.at,
        added_by: entry.addedBy && JSON.stringify(entry.addedBy),
      })),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'number_hash']).doNothing())
    .execute()
}

/** Saves that the contact opted out in this call. Does nothing for a test call. */
export const markOptedOut = async (db: Db, workspaceId: number, callId: number): Promise<void> => {
  await db
    .updateTable('call')
    .set({ opted_out: true })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .where('test', '=', false)
    .execute()
}

/** Locks the queued calls to these numbers in one campaign, or in all of them, in order of ID. */
export const lockQueuedCallsToNumbers = async (
  db: Db,
  workspaceId: number,
  phoneNumbers: readonly string[],
  campaignId?: number | null,
): Promise<number[]> => {
  const rows = await db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('to_number', '=', sql<string>`any(${phoneNumbers}::text[])`)
    .where('status', '=', 'queued')
    .$if(typeof campaignId === 'number', (calls) => calls.where('campaign_id', '=', campaignId ?? null))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.map((row) => row.id)
}
