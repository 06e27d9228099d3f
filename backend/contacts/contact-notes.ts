import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { insertNote } from './contact-queries.ts'

/**
 * Keeps a note on a contact, with the call that it was made on, if any.
 *
 * @throws {ApiError} not_found, also where the contact was erased meanwhile
 */
export const addNote =
  ({ db, clock }: Pick<Deps, 'db' | 'clock'>) =>
  async (
    contact: { workspaceId: number; contactId: number },
    note: { callId: number | null; text: string },
  ): Promise<void> => {
    const { workspaceId, contactId } = contact
    if (await insertNote(db, workspaceId, { ...note, contactId, at: clock.now() })) return
    throw notFound('There is no contact with this id in this workspace.')
  }
