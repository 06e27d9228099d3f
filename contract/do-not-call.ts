import * as z from 'zod'
import {
  addContactTexts,
  addToDoNotCallListTexts,
  doNotCallEntryTexts,
  doNotCallNumberTexts,
} from './field-texts.ts'
import { listOf, ListQuery } from './lists.ts'
import { CountryInput, describeFields, PhoneNumberE164, text, Timestamp } from './primitives.ts'

/** Body of `POST /do-not-call/`. The number doesn't need to belong to a contact. */
export const AddToDoNotCallList = z
  .strictObject(
    describeFields(
      {
        phone_number: text(1000),
        country: CountryInput.nullish(),
        reason: text(500).nullish(),
      },
      addToDoNotCallListTexts,
    ),
  )
  .meta({ id: 'AddToDoNotCallList' })
export type AddToDoNotCallList = z.infer<typeof AddToDoNotCallList>

/** Response to `POST /do-not-call/`. A repeated request gets the same response. */
export const DoNotCallEntry = z
  .object(
    describeFields(
      {
        phone_number: PhoneNumberE164,
        phone_numbers: z.array(PhoneNumberE164),
        do_not_call: z.literal(true),
        url: z.url(),
      },
      doNotCallEntryTexts,
    ),
  )
  .meta({ id: 'DoNotCallEntry' })
export type DoNotCallEntry = z.infer<typeof DoNotCallEntry>

/** Query of `GET /do-not-call/`. The list stores only hashes of the numbers, so a number is required. */
export const DoNotCallQuery = ListQuery.extend({
  phone_number: text(1000)
    .describe(
      'Text with one or more numbers: E.164, with `+` encoded as `%2B`, or national. The first of them that is on the list is returned.',
    )
    .meta({ examples: ['+12025550100'] }),
  country: CountryInput.optional().describe(addContactTexts.country.api ?? ''),
})
export type DoNotCallQuery = z.infer<typeof DoNotCallQuery>

/** A number on the do-not-call list. */
export const DoNotCallNumber = z
  .object(
    describeFields(
      {
        phone_number: PhoneNumberE164,
        added_at: Timestamp,
        reason: z.string().nullable(),
        source: z.enum(['api', 'dashboard', 'call']),
      },
      doNotCallNumberTexts,
    ),
  )
  .meta({ id: 'DoNotCallNumber' })
export type DoNotCallNumber = z.infer<typeof DoNotCallNumber>

export const DoNotCallNumberList = listOf(DoNotCallNumber, 'DoNotCallNumberList')
export type DoNotCallNumberList = z.infer<typeof DoNotCallNumberList>
