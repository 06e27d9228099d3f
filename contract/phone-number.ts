import * as z from 'zod'
import { listOf } from './lists.ts'
import { Country, Id, PhoneNumberE164 } from './primitives.ts'

/** An active phone number that calls are placed from. */
export const PhoneNumber = z
  .object({
    id: Id,
    phone_number: PhoneNumberE164,
    label: z.string(),
    country: Country,
  })
  .meta({ id: 'PhoneNumber' })
export type PhoneNumber = z.infer<typeof PhoneNumber>

export const PhoneNumberList = listOf(PhoneNumber, 'PhoneNumberList')
export type PhoneNumberList = z.infer<typeof PhoneNumberList>
