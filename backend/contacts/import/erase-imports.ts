import { sql } from 'kysely'
import { type ContactIdentifiers, containsIdentifier } from '../../db/erasure.ts'
import type { Db } from '../../db/schema.ts'

/**
 * Deletes the contact's rows of files that are being imported, which would add the contact again, and invalid rows
 * whose issues quote it. Files that haven't been read to the end fail, because it isn't known yet whether they contain
 * the contact. They're easy to upload again. Call it in a transaction.
 */
export async function eraseImportRows(
  db: Db,
  contact: ContactIdentifiers & { workspaceId: number; at: Date },
): Promise<void> {
  const { workspaceId, phoneNumber, at } = contact
  await db
    .updateTable('contact_import')
    .set({ bytes: null, status: 'failed', error: unreadFileError, lease_until: null, finished_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('bytes', 'is not', null)
    .execute()
  await sql`
    update contact_import_row
    set fields = jsonb_set(fields, '{other_numbers}', (fields -> 'other_numbers') - ${phoneNumber}::text)
    where import_id in (select id from contact_import where workspace_id = ${workspaceId})
      and fields -> 'other_numbers' ? ${phoneNumber}`.execute(db)
  await sql`
    delete from contact_import_row
    where import_id in (select id from contact_import where workspace_id = ${workspaceId}) and (
      phone_number = ${phoneNumber} or issues <> '[]' and ${containsIdentifier(sql`issues::text`, contact)}
    )`.execute(db)
}

const unreadFileError =
  'A contact was erased before this file was checked, and the file may contain that person. Upload it again.'

export const deleteExpiredImports = async (db: Db, now: Date): Promise<void> => {
  await db.deleteFrom('contact_import').where('expires_at', '<', now).where('status', '<>', 'undoing').execute()
}
