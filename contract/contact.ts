import * as z from 'zod'
import { contactTexts } from './field-texts.ts'
import { ContactNumber, describeFields, fieldsBelow, Id, StoredTimeZone, Timestamp } from './primitives.ts'

/** How a person agreed to be called. */
export const ConsentKind = z.enum(['written', 'oral'])
export type ConsentKind = z.infer<typeof ConsentKind>

/** A person who can be called, identified in the workspace by the phone number. */
export const Contact = z
  .object(
    describeFields(
      {
        id: Id,
        phone_number: ContactNumber,
        first_name: z.string().nullable(),
        last_name: z.string().nullable(),
        email: z.string().nullable(),
        external_id: z.string().nullable(),
        time_zone: StoredTimeZone.nullable(),
        variables: z.record(z.string(), z.string()),
        do_not_call: z.boolean(),
        consent: z
          .object(
            describeFields(
              {
                source: z.string(),
                at: Timestamp,
                // Events and responses that were stored before this field existed don't have it.
                kind: ConsentKind.nullish(),
              },
              fieldsBelow(contactTexts, 'consent'),
            ),
          )
          .nullable(),
        created_at: Timestamp,
        updated_at: Timestamp,
      },
      contactTexts,
    ),
  )
  .meta({ id: 'Contact' })
export type Contact = z.infer<typeof Contact>
