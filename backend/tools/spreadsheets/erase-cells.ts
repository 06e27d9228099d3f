import { sql } from 'kysely'
import { type ContactEraser, containsIdentifier } from '../../platform/db/erasure.ts'

/** Empties spreadsheet cells that contain the contact's phone number, in any format, or email address. */
export const eraseSpreadsheetCells: ContactEraser = async (db, contact) => {
  const mentionsContact = containsIdentifier(sql`cell`, contact)
  await sql`
    update spreadsheet_row
    set cells = (
      select array_agg(case when ${mentionsContact} then '' else cell end order by position)
      from unnest(cells) with ordinality as row (cell, position)
    )
    where workspace_id = ${contact.workspaceId}
      and exists (select from unnest(cells) as row (cell) where ${mentionsContact})`.execute(db)
}
