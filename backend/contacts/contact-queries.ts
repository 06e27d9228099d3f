import { sql } from 'kysely'
import { isContactOnDoNotCallList } from '../calls/suppress-store.ts'
import type { Db } from '../db/schema.ts'

/** By what a contact can be looked up. E-mail addresses and external ids may belong to several. */
export type ContactLookupField = 'id' | 'phone_number' | 'email' | 'external_id'

/** What is known of a contact. */
export type ContactDetails = Awaited<ReturnType<typeof findContactsBy>>[number]

/** What is known of a contact, by itself. */
export const contactColumns = [
  'id',
  'phone_number',
  'first_name',
  'last_name',
  'email',
  'external_id',
  'time_zone',
  'variables',
] as const

/** The contacts that have this value, the latest changed first: five at most. */
export const findContactsBy = (
  db: Db,
  workspaceId: number,
  field: ContactLookupField,
  value: string | number,
) =>
  db
    .selectFrom('contact')
    .select([...contactColumns, 'created_at', isContactOnDoNotCallList.as('do_not_call')])
    .where('workspace_id', '=', workspaceId)
    .where('erased_at', 'is', null)
    .where((eb) => (field === 'email' ? sql<boolean>`lower(email) = lower(${value})` : eb(field, '=', value)))
    .orderBy('updated_at', 'desc')
    .limit(5)
    .execute()

/** False where there is no such contact, or none any more: its erasure waits for this, or this for that. */
export const insertNote = async (
  db: Db,
  workspaceId: number,
  note: { contactId: number; callId: number | null; text: string; at: Date },
): Promise<boolean> => {
  const { rows } = await sql`
    with kept as (
      select workspace_id, id from contact
      where workspace_id = ${workspaceId} and id = ${note.contactId} and erased_at is null
      for key share
    )
    insert into contact_note (workspace_id, contact_id, call_id, text, created_at)
    select workspace_id, id, ${note.callId}::bigint, ${note.text}, ${note.at}::timestamptz from kept
    returning id`.execute(db)
  return rows.length > 0
}

/** The last notes, the latest first. */
export const findNotes = (db: Db, workspaceId: number, contactId: number, limit: number) =>
  db
    .selectFrom('contact_note')
    .select(['text', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
