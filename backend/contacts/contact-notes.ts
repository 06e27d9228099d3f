import { sql } from 'kysely'
import { notFound } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'

/**
 * Keeps a note on a contact, with the call that it was made on, if any.
 *
 * @throws {ApiError} not_found, also where the contact was erased meanwhile
 */
export async function addNote(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  contact: { workspaceId: number; contactId: number },
  note: { callId: number | null; text: string },
): Promise<void> {
  const { workspaceId, contactId } = contact
  if (await insertNote(db, workspaceId, { ...note, contactId, at: clock.now() })) return
  throw notFound('There is no contact with this id in this workspace.')
}

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
