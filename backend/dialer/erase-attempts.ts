import { sql } from 'kysely'
import type { ContactEraser } from '../db/erasure.ts'

/** Erases the number that was dialed. */
export const eraseAttempts: ContactEraser = async (db, { workspaceId, callIds }) => {
  await db
    .updateTable('call_attempt')
    .set({ to_number: '' })
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
}
