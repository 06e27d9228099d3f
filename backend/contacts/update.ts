import { rescheduleContact } from '../calls/reschedule-calls.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { type ContactFields, toFieldValues, checkVariableCount } from './fields.ts'
import { upsertContact } from './contact-store.ts'

/**
 * Writes fields of a known contact, as `POST /contacts/` would, and moves its waiting calls where its time zone is new.
 *
 * @param contact the number is how the workspace knows it
 * @throws {ApiError} not_found, validation_failed where its variables add up to too many
 */
export const updateContact =
  (deps: Deps) =>
  (contact: { workspaceId: number; phoneNumber: string }, fields: ContactFields): Promise<void> =>
    inTransaction(deps, async ({ db, clock, notify }) => {
      const { workspaceId, phoneNumber } = contact
      const now = clock.now()
      const upserted = await upsertContact(db, workspaceId, phoneNumber, toFieldValues(fields), now)
      const { id, created, variables } = upserted
      // Erased since it was looked up: to write it anew would undo that.
      if (created) throw notFound('There is no contact with this phone number.')
      checkVariableCount(variables)
      if (fields.time_zone === undefined) return
      await rescheduleContact(db, { workspaceId, contactId: id, now })
      notify.callQueued()
    })
