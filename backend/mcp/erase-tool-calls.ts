import { sql } from 'kysely'
import { type ContactEraser, type ContactIdentifiers, containsIdentifier } from '../db/erasure.ts'
import { restoreCalls } from '../db/restore-calls.ts'
import type { Db } from '../db/schema.ts'

/** Checks in SQL if the arguments or the result of a tool call mention the contact. */
export const mentionsContact = (contact: ContactIdentifiers) =>
  sql<boolean>`(${containsIdentifier(sql`arguments::text`, contact)} or ${containsIdentifier(sql`result`, contact)})`

/** Restores the archived calls in which a tool call mentions the contact, so that its tool calls can be erased. */
export const restoreCallsThatMention = (
  db: Db,
  workspaceId: number,
  contact: ContactIdentifiers,
): Promise<number> =>
  restoreCalls(
    db,
    workspaceId,
    sql`select call_id from archived_tool_call where workspace_id = ${workspaceId} and ${mentionsContact(contact)}`,
  )

/** Erases the arguments and results of the contact's tool calls and of other tool calls that mention the contact. */
export const eraseToolCalls: ContactEraser = async (db, contact) => {
  const { workspaceId, callIds } = contact
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId}
      and (call_id = any(${callIds}::bigint[]) or ${mentionsContact(contact)})`.execute(db)
}

/** Erases the arguments and results of the tool calls in these calls, but keeps the records that tools were used. */
export async function eraseToolCallContent(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[])`.execute(db)
}
