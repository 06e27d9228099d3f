import type { Deps } from '../deps.ts'
import { insertNote } from './facts-store.ts'

/** Keeps a note on a contact, with the call that it was made on, if any. */
export const addNote =
  ({ db, clock }: Pick<Deps, 'db' | 'clock'>) =>
  (
    contact: { workspaceId: number; contactId: number },
    note: { callId: number | null; text: string },
  ): Promise<void> =>
    insertNote(db, contact.workspaceId, { ...note, contactId: contact.contactId, at: clock.now() })
