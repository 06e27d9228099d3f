import * as z from 'zod'
import { callsCanceledTexts, cancelCallsTexts } from './field-texts.ts'
import { CountryInput, describeFields, Id, PhoneNumberE164, text, withText } from './primitives.ts'

const isSet = (value: unknown): boolean => value !== undefined && value !== null

/** Body of `POST /calls/cancel`: cancels the waiting calls to a contact. */
export const CancelCalls = z
  .strictObject(
    describeFields(
      {
        phone_number: text(1000).nullish(),
        contact_id: Id.nullish(),
        country: CountryInput.nullish(),
        campaign_id: Id.nullish(),
      },
      cancelCallsTexts,
    ),
  )
  .refine(({ phone_number, contact_id }) => isSet(phone_number) || isSet(contact_id), {
    path: ['phone_number'],
    ...withText('required.number_or_contact'),
  })
  .refine(({ phone_number, contact_id }) => !isSet(phone_number) || !isSet(contact_id), {
    path: ['contact_id'],
    ...withText('invalid_value.number_and_contact'),
  })
  .meta({ id: 'CancelCalls' })
export type CancelCalls = z.infer<typeof CancelCalls>

/** Response to `POST /calls/cancel`. */
export const CallsCanceled = z
  .object(
    describeFields(
      { canceled: z.array(Id), phone_numbers: z.array(PhoneNumberE164), url: z.url() },
      callsCanceledTexts,
    ),
  )
  .meta({ id: 'CallsCanceled' })
export type CallsCanceled = z.infer<typeof CallsCanceled>
