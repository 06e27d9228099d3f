import type { Call, CallCompletedEvent, Contact, ContactAdded } from '@outdial/contract'

/** A contact of which nothing tells any more who it was. Whether it may be called is still told. */
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

/** A call without who was called and what was said: that it was, when, and how it ended. */
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

export const toErasedEvent = (event: CallCompletedEvent): CallCompletedEvent => ({
  ...event,
  data: toErasedCall(event.data),
})

export const toErasedResponse = (response: ContactAdded): ContactAdded => ({
  ...response,
  contact: toErasedContact(response.contact),
  call: toErasedCall(response.call),
})
