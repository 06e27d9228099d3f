import { rescheduleContact } from '../calls/reschedule-calls.ts'
import { type Actor, toActor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import { fieldError, notFound } from '../core/errors.ts'
import { toRecord } from '../core/records.ts'
import { blankContact, contactColumns, type ContactFieldValues } from '../db/tables/contact-fields.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type ContactValues, replaceContact, upsertContactRow } from './contact-store.ts'
import {
  checkConsentDate,
  checkVariableCount,
  type ContactFields,
  type ContactInput,
  toContactValues,
} from './upsert-contact.ts'

/** All fields of a contact except its number. An omitted field is cleared. */
interface ContactReplacement extends ContactFields {
  consent?: ContactInput['consent']
}

/**
 * Replaces a contact's fields with those that a user entered in the dashboard, and reschedules its waiting calls, since
 * its time zone may have changed.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const replaceContactDetails = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  caller: Caller,
  contactId: number,
  values: ContactReplacement,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const now = tx.clock.now()
    checkVariableCount(values.variables ?? {})
    checkConsentDate(values.consent, now)
    const isUpdated = await replaceContact(
      tx.db,
      workspaceId,
      contactId,
      fillBlanks(toContactValues(values)),
      {
        at: now,
        by: toActor(caller),
      },
    )
    if (!isUpdated) throw notFound('contact')
    await rescheduleContact(tx.db, workspaceId, contactId, now)
    tx.notify.callQueued()
  })

/** Clears the fields that aren't given. */
const fillBlanks = (values: ContactValues) =>
  toRecord(contactColumns, (column) => values[column] ?? blankContact[column]) as ContactFieldValues

/**
 * Updates fields of an existing contact, as `POST /contacts/` would, and reschedules its waiting calls if a time zone
 * is given.
 *
 * @throws {ApiError} not_found, validation_failed if the contact would have too many variables
 */
export const updateContact = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  phoneNumber: string,
  fields: ContactFields,
  actor: Actor,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const now = tx.clock.now()
    const upserted = await upsertContactRow(tx.db, workspaceId, phoneNumber, toContactValues(fields), {
      at: now,
      by: actor,
    })
    const { id, created, variables } = upserted
    // The contact was erased after the lookup. Creating it again would undo that.
    if (created) throw fieldError('phone_number', 'not_found.contact')
    checkVariableCount(variables)
    if (fields.time_zone === undefined) return
    await rescheduleContact(tx.db, workspaceId, id, now)
    tx.notify.callQueued()
  })
