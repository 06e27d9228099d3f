import { AddContact } from '@outdial/contract'
import type * as z from 'zod'
import { rescheduleContact } from '../calls/reschedule-calls.ts'
import type { Db } from '../db/schema.ts'
import { invalidField } from '../core/errors.ts'
import { addToDoNotCallList } from '../calls/do-not-call.ts'
import { toFieldValues, checkVariableCount } from './fields.ts'
import { isInternational, parsePhone } from '../core/phone.ts'
import { type ContactValues, upsertContact, findWorkspaceCountry } from './contact-store.ts'

/** What `POST /contacts/` takes of the contact itself. */
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
 * Upserts a contact by its phone number, in the caller's transaction, and lets its waiting calls follow: its row is
 * locked until the end. Wake the dialer and the sender after the commit.
 *
 * @throws {ApiError} validation_failed
 */
export async function writeContact(
  tx: Db,
  workspaceId: number,
  options: { input: ContactInput; source: 'api' | 'dashboard'; now: Date },
): Promise<{ id: number; created: boolean; phoneNumber: string }> {
  const { input, source, now } = options
  const phoneNumber = await parseContactPhone(tx, workspaceId, input)
  const contact = await upsertContact(tx, workspaceId, phoneNumber, toContactValues(input), now)
  checkVariableCount(contact.variables)
  if (input.time_zone !== undefined && !contact.created) {
    await rescheduleContact(tx, { workspaceId, contactId: contact.id, now })
  }
  if (input.do_not_call === true) await addToDoNotCallList(tx, { workspaceId, phoneNumber, source, now })
  return { id: contact.id, created: contact.created, phoneNumber }
}

async function parseContactPhone(db: Db, workspaceId: number, input: ContactInput): Promise<string> {
  const country = input.country ?? (await findDefaultCountry(db, workspaceId, input.phone_number))
  const parsed = parsePhone(input.phone_number, country)
  if (!parsed.ok) throw invalidField(parsed.field, parsed.code, parsed.message)
  return parsed.phoneNumber
}

/** Any country will do for a number that names its own, and spares the hot path a statement. */
const findDefaultCountry = async (db: Db, workspaceId: number, phoneNumber: string): Promise<string> =>
  isInternational(phoneNumber) ? 'US' : findWorkspaceCountry(db, workspaceId)

const toContactValues = (input: ContactInput): ContactValues => ({
  ...toFieldValues(input),
  consent: input.consent && { source: input.consent.source, at: new Date(input.consent.at) },
})
