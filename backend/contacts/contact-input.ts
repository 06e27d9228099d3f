import { AddContact } from '@outdial/contract'
import type * as z from 'zod'
import type { Actor } from '../core/actor.ts'
import { dayMs } from '../core/durations.ts'
import { fieldError } from '../core/errors.ts'
import { pick } from '../core/records.ts'
import { apiColumns } from '../db/tables/contact-fields.ts'
import type { ContactValues } from './contact-store.ts'

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

/**
 * Returns what a request changes about a contact.
 *
 * @throws {ApiError} validation_failed
 */
export function toContactChanges(input: ContactInput, actor: Actor, now: Date) {
  checkConsentDate(input.consent, now)
  return { changes: toContactValues(input), actor }
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
