import type { Call, Contact } from '@outdial/contract'

/** Removes everything that identifies the person. `do_not_call` stays. */
export const toErasedContact = (contact: Contact): Contact => ({
  ...contact,
  phone_number: '',
  first_name: null,
  last_name: null,
  email: null,
  external_id: null,
  time_zone: null,
  variables: {},
  consent: null,
})

/** Removes who was called and what was said. The times and the outcome of the call stay. */
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
