import { sql } from 'kysely'
import type { ContactEraser } from '../../platform/db/erasure.ts'
import type { Db } from '../../platform/db/schema.ts'
import { blankContact } from '../../platform/db/tables/contact-fields.ts'

/** Reads the values that identify a contact. Doesn't lock the contact, because rows of imports must be locked first. */
export const findIdentifyingData = (db: Db, workspaceId: number, contactId: number) =>
  db
    .selectFrom('contact')
    .select(['phone_number as phoneNumber', 'email'])
    .select(['external_id as externalId', 'first_name as firstName', 'last_name as lastName'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .executeTakeFirst()

/** Clears the contact's row. The row stays, because calls refer to it. */
export const eraseContactRow: ContactEraser = async (db, { workspaceId, contactId, at }) => {
  await db
    .updateTable('contact')
    .set({
      phone_number: '',
      ...blankContact,
      variables: '{}',
      updated_at: at,
      updated_by: null,
      erased_at: at,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .execute()
}

/** Deletes the values in the contact's history. Who changed which fields, and when, stays. */
export const eraseChanges: ContactEraser = async (db, { workspaceId, contactId }) => {
  await db.deleteFrom('contact_change_values').where('contact_id', '=', contactId).execute()
  // An import's `actor` has the name of the file, which is free text and can name the contact.
  await db
    .updateTable('contact_change')
    .set({ actor: sql<string>`actor - 'name'` })
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .execute()
}

export const eraseNotes: ContactEraser = async (db, { workspaceId, contactId }) => {
  await db
    .deleteFrom('contact_note')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .execute()
}

/** Deletes the chats in which members took the contact's place, with their turns and tool calls. */
export const eraseChatsOfContact: ContactEraser = async (db, { workspaceId, contactId }) => {
  await db
    .deleteFrom('conversation')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .execute()
}
