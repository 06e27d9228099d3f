import type { Deps } from '../../deps.ts'
import { notFound } from '../../platform/core/errors.ts'
import { insertNote } from './contact-store.ts'

export { findNotes } from './contact-store.ts'

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
  throw notFound('contact')
}
