import * as z from 'zod'
import { phoneNumberTexts } from './field-texts.ts'
import { listOf } from './lists.ts'
import { Country, describeFields, Id, PhoneNumberE164 } from './primitives.ts'

/** An active phone number that calls are placed from. */
export const PhoneNumber = z
  .object(
    describeFields(
      {
        id: Id,
        phone_number: PhoneNumberE164,
        label: z.string(),
        country: Country,
      },
      phoneNumberTexts,
    ),
  )
  .meta({ id: 'PhoneNumber' })
export type PhoneNumber = z.infer<typeof PhoneNumber>

export const PhoneNumberList = listOf(PhoneNumber, 'PhoneNumberList')
export type PhoneNumberList = z.infer<typeof PhoneNumberList>
