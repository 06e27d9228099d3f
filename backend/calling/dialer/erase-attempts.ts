import { sql } from 'kysely'
import type { ContactEraser } from '../../platform/db/erasure.ts'
import { personalSettings } from '../../queue/calls/erase-calls.ts'

/** Erases the dialed numbers of a contact's attempts, and the settings that come from the contact. */
export const eraseAttempts: ContactEraser = async (db, { workspaceId, callIds }) => {
  await db
    .updateTable('call_attempt')
    .set({ to_number: '', dialed_with: sql<string>`dialed_with - ${personalSettings}::text[]` })
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
}
