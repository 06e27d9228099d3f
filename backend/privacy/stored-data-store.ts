import { sql } from 'kysely'
import { type ContactIdentifiers, containsIdentifier } from '../platform/db/erasure.ts'
import type { Db } from '../platform/db/schema.ts'

/** Counts of the data that is stored about a contact. */
export interface StoredData {
  calls: number
  waitingCalls: number
  toolCalls: number
  chats: number
  notes: number
  changes: number
  spreadsheetRows: number
}

/**
 * @param mentionIds the IDs of the tool calls that mention the contact, in any contact's calls
 * @param chatIds the IDs of the chats that mention the contact
 */
export async function selectStoredData(
  db: Db,
  workspaceId: number,
  { contactId, identifiers, mentionIds, chatIds }: ContactToCount,
): Promise<StoredData> {
  const ofContact = sql`workspace_id = ${workspaceId} and contact_id = ${contactId}`
  const { rows } = await sql<StoredData>`
    select
      (select count(*) from call where ${ofContact}) as calls,
      (select count(*) from call where ${ofContact} and status = 'queued') as "waitingCalls",
      (select count(*) from tool_call where workspace_id = ${workspaceId}
        and call_id in (select id from call where ${ofContact}) and id <> all(${mentionIds}::bigint[])
      ) + ${mentionIds.length} as "toolCalls",
      (select count(*) from conversation where ${ofContact} and id <> all(${chatIds}::uuid[])
      ) + ${chatIds.length} as chats,
      (select count(*) from contact_note where ${ofContact}) as notes,
      (select count(*) from contact_change_values where contact_id = ${contactId}) as changes,
      (select count(*) from spreadsheet_row where workspace_id = ${workspaceId} and exists (
        select from unnest(cells) as row (cell) where ${containsIdentifier(sql`cell`, identifiers)}
      )) as "spreadsheetRows"`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('invariant: counts are one row')
  return counts
}

interface ContactToCount {
  contactId: number
  identifiers: ContactIdentifiers
  mentionIds: readonly number[]
  chatIds: readonly string[]
}
