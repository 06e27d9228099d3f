import { sql } from 'kysely'
import { type ContactEraser, containsIdentifier } from '../db/erasure.ts'
import type { Db } from '../db/schema.ts'

/** Erases arguments and results of the contact's tool calls, and of others that mention the contact. */
export const eraseToolCalls: ContactEraser = async (db, contact) => {
  const { workspaceId, callIds } = contact
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and (
      call_id = any(${callIds}::bigint[])
      or ${containsIdentifier(sql`arguments::text`, contact)} or ${containsIdentifier(sql`result`, contact)}
    )`.execute(db)
}

/** Erases arguments and results of the tool calls in these calls. That the tools were used stays. */
export async function eraseToolCallContent(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[])`.execute(db)
}
