import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { type ContactInput, writeContact } from './upsert-contact.ts'

/**
 * Upserts a contact by its phone number and calls nobody: for people in the dashboard.
 *
 * @throws {ApiError} validation_failed
 */
export const saveContact =
  (deps: Deps) =>
  (workspaceId: number, input: ContactInput): Promise<{ id: number; created: boolean }> =>
    inTransaction(deps, async ({ db, clock, notify }) => {
      const contact = await writeContact(db, workspaceId, { input, source: 'dashboard', now: clock.now() })
      notify.callQueued()
      notify.deliveryQueued()
      return contact
    })
