import { AddContact } from '@outdial/contract'
import type * as z from 'zod'
import { addToDoNotCallList } from '../calls/do-not-call.ts'
import { rescheduleContact } from '../calls/reschedule-calls.ts'
import { normalizeNumber } from '../calls/resolve-number.ts'
import { type Actor, toActor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import { dayMs } from '../core/durations.ts'
import { fieldError } from '../core/errors.ts'
import { pick } from '../core/records.ts'
import { apiColumns } from '../db/tables/contact-fields.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type ContactValues, upsertContactRow } from './contact-store.ts'

/** The fields of `POST /contacts/` that describe the contact itself. */
export const ContactInput = AddContact.omit({
  campaign_id: true,
  metadata: true,
  scheduled_at: true,
  if_already_queued: true,
  test: true,
  callback_url: true,
})
export type ContactInput = z.infer<typeof ContactInput>

/**
 * Upserts a contact by its phone number in the caller's transaction, which keeps its row locked, and moves
 * its waiting calls if its time zone is given. Call `notify.callQueued()` after the commit.
 *
 * @throws {ApiError} validation_failed
 */
export async function upsertContactFromInput(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  options: { input: ContactInput; source: 'api' | 'dashboard'; actor: Actor; now: Date },
): Promise<{ id: number; created: boolean; phoneNumber: string }> {
  const { db } = tx
  const { input, source, actor, now } = options
  const { phone_number, country } = input
  checkConsentDate(input.consent, now)
  const phoneNumber = await normalizeNumber(db, workspaceId, { phoneNumber: phone_number, country })
  const contact = await upsertContactRow(db, workspaceId, phoneNumber, toContactValues(input), {
    at: now,
    by: actor,
  })
  checkVariableCount(contact.variables)
  // Adding the number to the list completes the waiting calls, which then need no other time.
  if (input.do_not_call === true)
    await addToDoNotCallList(tx, workspaceId, { phoneNumber, source, addedBy: actor, now })
  else if (input.time_zone !== undefined && !contact.created)
    await rescheduleContact(db, workspaceId, contact.id, now)
  return { id: contact.id, created: contact.created, phoneNumber }
}

/**
 * Rejects a consent date in the future, which would prove nothing. A day's difference is accepted, because apps send
 * dates in other time zones.
 *
 * @throws {ApiError} validation_failed
 */
export function checkConsentDate(consent: ContactInput['consent'], now: Date): void {
  if (!consent || Date.parse(consent.at) <= now.getTime() + dayMs) return
  throw fieldError('consent.at', 'in_the_future')
}

/** Fields to update: an omitted one keeps its value, null clears it. */
export const ContactFields = ContactInput.omit({
  phone_number: true,
  country: true,
  do_not_call: true,
  consent: true,
})
export type ContactFields = z.infer<typeof ContactFields>

export const toContactValues = ({
  consent,
  ...fields
}: ContactFields & Pick<ContactInput, 'consent'>): ContactValues => ({
  ...pick(fields, apiColumns),
  consent_source: consent && consent.source,
  consent_at: consent && new Date(consent.at),
})

export const maxVariables = 100

export const tooManyVariables = () => fieldError('variables', 'too_big.variables', { limit: maxVariables })

/** Checks the number of merged variables: each request is within the limit, but several can add up. */
export function checkVariableCount(variables: Record<string, string>): void {
  if (Object.keys(variables).length <= maxVariables) return
  throw tooManyVariables()
}

/**
 * Upserts a contact by its phone number without queueing a call, for the dashboard.
 *
 * @throws {ApiError} validation_failed
 */
export const saveContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  input: ContactInput,
): Promise<{ id: number; created: boolean }> =>
  inTransaction(deps, async (tx) => {
    const contact = await upsertContactFromInput(tx, caller.workspaceId, {
      input,
      source: 'dashboard',
      actor: toActor(caller),
      now: tx.clock.now(),
    })
    tx.notify.callQueued()
    return contact
  })
