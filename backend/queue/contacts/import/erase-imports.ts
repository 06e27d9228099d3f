import { sql } from 'kysely'
import type { PersonNames } from '../../../platform/db/erasure.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { queueNameErasure } from './erase-file-names.ts'
import type { ErasedPerson } from './erase-from-import.ts'
import { namesPerson } from './find-person.ts'

/**
 * Deletes a contact's rows from all imports, because they would add the contact again. Replaces file names that identify the
 * person. Searching the files and their rejected rows would take too long for a request, so a worker does that. Call it in a
 * transaction, and notify the importer.
 */
export async function eraseImportRows(
  db: Db,
  { workspaceId, ...contact }: PersonNames & { workspaceId: number },
): Promise<void> {
  const imports = await db
    .selectFrom('contact_import')
    .select(['id', 'file_name as fileName'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const ids = imports.map(({ id }) => id)
  const naming = imports.filter(({ fileName }) => namesPerson(fileName, contact)).map(({ id }) => id)
  await queueNameErasure(db, workspaceId, naming)
  const { phoneNumber, digits, email } = contact
  const person: ErasedPerson = { phoneNumber, digits, email }
  // Interrupts an import or undo, which continues after the search. A check would start over, so the search waits until the
  // check ends.
  const isContinued = sql`status in ('importing', 'undoing')`
  await sql`
    update contact_import
    set file_name = case when id = any(${naming}::bigint[]) then ${erasedFileName} else file_name end,
      erasures = erasures || ${JSON.stringify([person])}::jsonb,
      fence = case when ${isContinued} then fence + 1 else fence end,
      lease_until = case when ${isContinued} then null else lease_until end
    where workspace_id = ${workspaceId} and id = any(${ids}::bigint[])`.execute(db)
  await db
    .deleteFrom('contact_import_row')
    .where('import_id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('phone_number', '=', phoneNumber)
    .execute()
}

/** The replacement for a file name that identifies an erased contact. */
const erasedFileName = 'erased-name.csv'

export const deleteExpiredImports = async (db: Db, now: Date): Promise<void> => {
  await db
    .deleteFrom('contact_import')
    .where('expires_at', '<', now)
    .where('status', '<>', 'undoing')
    .execute()
}
