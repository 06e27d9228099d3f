import { AddContact, boundedText, withText } from '@outdial/contract'
import type * as z from 'zod'
import type { Actor } from '../../platform/core/actor.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { fieldError } from '../../platform/core/errors.ts'
import { pick } from '../../platform/core/records.ts'
import { apiColumns } from '../../platform/db/tables/contact-fields.ts'
import { mayBeTimeZone, readTimeZoneOfContact } from '../scheduling/time-zones.ts'
import type { ContactValues } from './contact-store.ts'

/** The fields of `POST /contacts/` that describe the contact itself. */
export const ContactInput = AddContact.omit({
  campaign_id: true,
  metadata: true,
  scheduled_at: true,
  if_already_queued: true,
  test: true,
  callback_url: true,
  lenient: true,
}).extend({
  // Accepts all abbreviations, because their meaning depends on the number. Text that can't be a time zone is reported here,
  // together with the issues of other fields.
  time_zone: boundedText(64).refine(mayBeTimeZone, withText('invalid_time_zone')).nullish(),
})
export type ContactInput = z.infer<typeof ContactInput>

/** Fields to update: an omitted one keeps its value, null clears it. */
export const ContactFields = ContactInput.omit({
  phone_number: true,
  country: true,
  do_not_call: true,
  consent: true,
})
export type ContactFields = z.infer<typeof ContactFields>

/**
 * Converts fields to a contact's columns. The number decides what an abbreviated time zone means.
 *
 * @throws {ApiError} validation_failed if the time zone can't be read
 */
export const toContactValues = (
  { consent, ...fields }: ContactFields & Pick<ContactInput, 'consent'>,
  phoneNumber: string,
): ContactValues => ({
  ...pick(fields, apiColumns),
  time_zone: fields.time_zone && requireTimeZone(fields.time_zone, phoneNumber),
  consent_source: consent && consent.source,
  consent_at: consent && new Date(consent.at),
  consent_kind: consent && consent.kind,
})

/**
 * Returns what a request changes about a contact.
 *
 * @throws {ApiError} validation_failed
 */
export function toContactChanges(input: ContactInput, phoneNumber: string, actor: Actor, now: Date) {
  checkConsentDate(input.consent, now)
  return { changes: toContactValues(input, phoneNumber), actor }
}

/**
 * Returns the IANA name of a contact's time zone.
 *
 * @throws {ApiError} validation_failed
 */
export function requireTimeZone(text: string, phoneNumber: string): string {
  const timeZone = readTimeZoneOfContact(text, phoneNumber)
  if (timeZone === undefined) throw fieldError('time_zone', 'invalid_time_zone')
  return timeZone
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

export const maxVariables = 100

export const tooManyVariables = () => fieldError('variables', 'too_big.variables', { limit: maxVariables })
