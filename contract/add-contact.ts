import * as z from 'zod'
import { Call } from './call.ts'
import { ConsentKind, Contact } from './contact.ts'
import { Warning } from './errors.ts'
import { addContactTexts, contactAddedTexts } from './field-texts.ts'
import {
  boundedText,
  CountryInput,
  describeFields,
  dictionary,
  fieldsBelow,
  Id,
  text,
  TimestampInput,
} from './primitives.ts'

/** The contact's consent to be called: where, when, and how it was given. A null `kind` clears the stored kind. */
const ConsentInput = z.strictObject(
  describeFields(
    { source: text(500), at: TimestampInput, kind: ConsentKind.nullish() },
    fieldsBelow(addContactTexts, 'consent'),
  ),
)

/** Maximum number of entries in a dictionary, and of characters in an entry's name and value. */
export const dictionaryLimits = {
  variables: { keys: 100, key: 100, value: 2000 },
  metadata: { keys: 50, key: 100, value: 500 },
} as const

/**
 * Body of `POST /contacts/`: upserts the contact by its phone number and queues a call.
 * An omitted contact field stays unchanged; null clears it.
 */
export const AddContact = z
  .strictObject(
    describeFields(
      {
        phone_number: text(1000),
        campaign_id: Id,
        country: CountryInput.nullish(),
        first_name: text(200).nullish(),
        last_name: text(200).nullish(),
        email: boundedText(254).check(z.email()).nullish(),
        external_id: text(200).nullish(),
        // The backend parses the name, because the meaning of an abbreviation depends on the number's country.
        time_zone: boundedText(64).nullish(),
        variables: dictionary(dictionaryLimits.variables).nullish(),
        do_not_call: z.boolean().nullish(),
        consent: ConsentInput.nullish(),
        metadata: dictionary(dictionaryLimits.metadata).nullish(),
        scheduled_at: TimestampInput.nullish(),
        if_already_queued: z.enum(['skip', 'queue']).nullish(),
        test: z.boolean().nullish(),
        callback_url: boundedText(2000).check(z.url()).nullish(),
        lenient: z.boolean().nullish(),
      },
      addContactTexts,
    ),
  )
  .meta({ id: 'AddContact' })
export type AddContact = z.infer<typeof AddContact>

/** Response to `POST /contacts/`: 201 if a call was queued, 200 if one was already waiting or in progress. */
export const ContactAdded = z
  .object({
    contact: Contact,
    call: Call,
    ...describeFields(
      { contact_created: z.boolean(), call_queued: z.boolean(), warnings: z.array(Warning) },
      contactAddedTexts,
    ),
  })
  .meta({ id: 'ContactAdded' })
export type ContactAdded = z.infer<typeof ContactAdded>
