import { sql } from 'kysely'
import type { Actor } from '../core/actor.ts'
import type { Db } from '../db/schema.ts'
import type { ContactColumn, ContactFieldValues } from '../db/tables/contact-fields.ts'

/**
 * Fields of a contact to write, by column: undefined keeps the stored value, null clears it. Variables are merged over the
 * stored ones.
 */
export type ContactValues = { [Column in ContactColumn]?: ContactFieldValues[Column] | null }

/** When a contact is changed and by whom. A trigger writes it to the contact's history, with the changed fields. */
interface ContactChange {
  at: Date
  by: Actor
}

/**
 * Creates the contact with this number, or updates the given fields of the existing one. Locks its row until the
 * transaction ends, so that concurrent requests for one contact run one after the other.
 */
export async function upsertContactRow(
  db: Db,
  workspaceId: number,
  phoneNumber: string,
  values: ContactValues,
  change: ContactChange,
): Promise<{ id: number; created: boolean; variables: Record<string, string> }> {
  const { rows } = await sql<{ id: number; created: boolean; variables: Record<string, string> }>`
    select contact_id as id, created, variables
    from upsert_contacts(${workspaceId}, ${change.at}, array[row(
      ${phoneNumber}::text, ${JSON.stringify(values)}, ${JSON.stringify(change.by)}
    )]::contact_values[])`.execute(db)
  const [contact] = rows
  if (contact === undefined) throw new Error('invariant: the contact was neither created nor found')
  return contact
}

/** Replaces all fields of a contact except its number. Returns false if it doesn't exist or was erased. */
export async function replaceContact(
  db: Db,
  workspaceId: number,
  contactId: number,
  values: ContactFieldValues,
  change: ContactChange,
): Promise<boolean> {
  const row = await db
    .updateTable('contact')
    .set({
      ...values,
      variables: JSON.stringify(values.variables),
      updated_at: change.at,
      updated_by: JSON.stringify(change.by),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .where('erased_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Saves a note. Returns false if the contact doesn't exist or was erased: the contact's lock and erasure wait for each
 * other.
 */
export const insertNote = async (
  db: Db,
  workspaceId: number,
  note: { contactId: number; callId: number | null; text: string; at: Date },
): Promise<boolean> => {
  const { rows } = await sql`
    with existing as (
      select workspace_id, id from contact
      where workspace_id = ${workspaceId} and id = ${note.contactId} and erased_at is null
      for no key update
    )
    insert into contact_note (workspace_id, contact_id, call_id, text, created_at)
    select workspace_id, id, ${note.callId}::bigint, ${note.text}, ${note.at}::timestamptz from existing
    returning id`.execute(db)
  return rows.length > 0
}

/** Returns the latest notes, newest first. */
export const findNotes = (db: Db, workspaceId: number, contactId: number, limit: number) =>
  db
    .selectFrom('contact_note')
    .select(['text', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
