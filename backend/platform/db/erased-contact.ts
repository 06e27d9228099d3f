import type { Call, Contact } from '@outdial/contract'
import { pick } from '../core/records.ts'
import { apiColumns, blankContact } from './tables/contact-fields.ts'

/** Removes everything that identifies the person. Keeps `do_not_call`. */
export const toErasedContact = (contact: Contact): Contact => ({
  ...contact,
  phone_number: '',
  ...pick(blankContact, apiColumns),
  consent: null,
})

/** Removes who was called and what was said. Keeps the times and the outcome of the call. */
export const toErasedCall = (call: Call): Call => ({
  ...call,
  contact: toErasedContact(call.contact),
  to_number: '',
  summary: null,
  transcript: [],
  transcript_text: null,
  extracted: {},
  recording_url: null,
  metadata: {},
})
