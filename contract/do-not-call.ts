import * as z from 'zod'
import { addToDoNotCallListTexts, doNotCallEntryTexts } from './field-texts.ts'
import { CountryInput, describeFields, PhoneNumberE164, text } from './primitives.ts'

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

/** Response to `POST /do-not-call/`, the same each time. */
export const DoNotCallEntry = z
  .object(
    describeFields(
      {
        phone_number: PhoneNumberE164,
        phone_numbers: z.array(PhoneNumberE164),
        do_not_call: z.literal(true),
      },
      doNotCallEntryTexts,
    ),
  )
  .meta({ id: 'DoNotCallEntry' })
export type DoNotCallEntry = z.infer<typeof DoNotCallEntry>
