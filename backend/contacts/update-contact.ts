import { rescheduleContact } from '../calls/reschedule-calls.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { replaceContact, upsertContact } from './contact-store.ts'
import { checkVariableCount, type ContactFields, toFieldValues } from './upsert-contact.ts'

/** All that is known of a contact besides its number. What is missing is cleared. */
export interface ContactEdit extends ContactFields {
  consent: { source: string; at: Date } | null
}

/**
 * Writes a contact as a person in the dashboard left it, and moves its waiting calls where its time zone is new.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editContact = (
  deps: Deps,
  key: { workspaceId: number; contactId: number },
  edit: ContactEdit,
): Promise<void> =>
  inTransaction(deps, async ({ db, clock, notify }) => {
    const { workspaceId, contactId } = key
    const now = clock.now()
    checkVariableCount(edit.variables ?? {})
    const isUpdated = await replaceContact(db, workspaceId, contactId, {
      firstName: edit.first_name ?? null,
      lastName: edit.last_name ?? null,
      email: edit.email ?? null,
      externalId: edit.external_id ?? null,
      timeZone: edit.time_zone ?? null,
      variables: edit.variables ?? {},
      consent: edit.consent,
      at: now,
    })
    if (!isUpdated) throw notFound('There is no contact with this id in this workspace.')
    await rescheduleContact(db, { workspaceId, contactId, now })
    notify.callQueued()
  })

/**
 * Writes fields of a known contact, as `POST /contacts/` would, and moves its waiting calls where its time zone is new.
 *
 * @param contact the number is how the workspace knows it
 * @throws {ApiError} not_found, validation_failed where its variables add up to too many
 */
export const updateContact = (
  deps: Deps,
  contact: { workspaceId: number; phoneNumber: string },
  fields: ContactFields,
): Promise<void> =>
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
