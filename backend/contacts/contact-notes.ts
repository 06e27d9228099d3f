import { sql } from 'kysely'
import { notFound } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'

/**
 * Saves a note about a contact, with the ID of the call during which it was written, if any.
 *
 * @throws {ApiError} not_found, also if the contact was erased in the meantime
 */
export async function addNote(
  deps: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  contactId: number,
  note: { callId: number | null; text: string },
): Promise<void> {
  if (await insertNote(deps.db, workspaceId, { ...note, contactId, at: deps.clock.now() })) return
  throw notFound('There is no contact with this id in this workspace.')
}

/**
 * Returns false where the contact doesn't exist or was erased: the key-share lock and erasure wait for each
 * other.
 */
const insertNote = async (
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

/** Returns the last notes, the latest first. */
export const findNotes = (db: Db, workspaceId: number, contactId: number, limit: number) =>
  db
    .selectFrom('contact_note')
    .select(['text', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
