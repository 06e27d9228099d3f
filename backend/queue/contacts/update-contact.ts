import type { Deps } from '../../deps.ts'
import { type Actor, toActor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { ApiError, fieldError, notFound } from '../../platform/core/errors.ts'
import { toRecord } from '../../platform/core/records.ts'
import type { Db } from '../../platform/db/schema.ts'
import {
  blankContact,
  contactColumns,
  type ContactFieldValues,
} from '../../platform/db/tables/contact-fields.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { rescheduleContact } from '../calls/reschedule-calls.ts'
import { addContactAlone } from './add-contacts.ts'
import {
  checkConsentDate,
  type ContactFields,
  type ContactInput,
  maxVariables,
  toContactValues,
  tooManyVariables,
} from './contact-input.ts'
import { type ContactValues, findNumbersOfContacts, replaceContact } from './contact-store.ts'

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
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  contactId: number,
  values: ContactReplacement,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const now = tx.clock.now()
    if (Object.keys(values.variables ?? {}).length > maxVariables) throw tooManyVariables()
    checkConsentDate(values.consent, now)
    const phoneNumber = await findNumber(tx.db, workspaceId, contactId)
    if (phoneNumber === undefined) throw notFound('contact')
    const change = { at: now, by: toActor(caller) }
    const replacement = fillBlanks(toContactValues(values, phoneNumber))
    const isUpdated = await replaceContact(tx.db, workspaceId, contactId, replacement, change)
    if (!isUpdated) throw notFound('contact')
    await rescheduleContact(tx, workspaceId, contactId, now)
    tx.notify.callQueued()
  })

/** Clears the fields that aren't given. */
const fillBlanks = (values: ContactValues) =>
  toRecord(contactColumns, (column) => values[column] ?? blankContact[column]) as ContactFieldValues

/**
 * Updates fields of an existing contact, as `POST /contacts/` would, and reschedules its waiting calls if its time zone
 * changes.
 *
 * @throws {ApiError} validation_failed if the contact would have too many variables, or was erased after the lookup
 */
export const updateContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  contactId: number,
  fields: ContactFields,
  actor: Actor,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const phoneNumber = await findNumber(tx.db, workspaceId, contactId)
    if (phoneNumber === undefined) throw unknownNumber()
    const changes = toContactValues(fields, phoneNumber)
    const update = { contact: { id: contactId }, changes, doNotCallNumbers: [], call: null, actor }
    await addContactAlone(tx, workspaceId, update).catch(throwAsUnknownNumber)
  })

/**
 * Returns the contact's number, which decides how its time zone is read. Undefined if the contact doesn't exist or was erased.
 */
async function findNumber(db: Db, workspaceId: number, contactId: number): Promise<string | undefined> {
  const numbers = await findNumbersOfContacts(db, workspaceId, [contactId])
  return numbers.get(contactId)
}

/** The error is about the number, because agents know contacts by their numbers. */
const unknownNumber = () => fieldError('phone_number', 'not_found.contact')

function throwAsUnknownNumber(error: unknown): never {
  throw error instanceof ApiError && error.code === 'not_found' ? unknownNumber() : error
}
