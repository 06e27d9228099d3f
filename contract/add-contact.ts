import * as z from 'zod'
import { Call } from './call.ts'
import { Contact } from './contact.ts'
import { Country, dictionary, Id, text, TimestampInput, TimeZone } from './primitives.ts'

/** When consent was given to be called, and where it is recorded. */
const ConsentInput = z.strictObject({ source: text(500), at: TimestampInput })

/**
 * Body of `POST /contacts/`: upserts the contact by its phone number and queues a call.
 * A contact field that is left out stays as it is; null clears it.
 */
export const AddContact = z
  .strictObject({
    phone_number: text(64).describe('E.164, or a national number together with a country'),
    campaign_id: Id,
    country: Country.nullish().describe('for a national number; by default the country of the workspace'),
    first_name: text(200).nullish(),
    last_name: text(200).nullish(),
    email: z.email().max(254).nullish(),
    external_id: text(200).nullish(),
    time_zone: TimeZone.nullish(),
    variables: dictionary({ keys: 100, key: 100, value: 2000 })
      .nullish()
      .describe('merged over the stored ones by name; null clears all of them'),
    do_not_call: z
      .boolean()
      .nullish()
      .describe('true adds the number to the do-not-call list; false never removes it'),
    consent: ConsentInput.nullish(),
    metadata: dictionary({ keys: 50, key: 100, value: 500 }).nullish(),
    scheduled_at: TimestampInput.nullish().describe('not before this time; at most a year ahead'),
    if_already_queued: z.enum(['skip', 'queue']).nullish(),
    test: z.boolean().nullish().describe('true: a simulated call, no phone rings'),
    callback_url: z.url().max(2000).nullish().describe("this call's call.completed is also posted here"),
  })
  .meta({ id: 'AddContact' })
export type AddContact = z.infer<typeof AddContact>

/** Answer of `POST /contacts/`: 201 where a call was queued, 200 where one was already waiting. */
export const ContactAdded = z
  .object({
    contact: Contact,
    call: Call,
    contact_created: z.boolean(),
    call_queued: z.boolean(),
  })
  .meta({ id: 'ContactAdded' })
export type ContactAdded = z.infer<typeof ContactAdded>
