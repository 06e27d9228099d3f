import type { Call, CallCompletedEvent, Contact, ContactAdded } from '@outdial/contract'

/** A contact of which nothing tells any more who it was. Whether it may be called is still told. */
export const anonymousContact = (contact: Contact): Contact => ({
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
export const anonymousCall = (call: Call): Call => ({
  ...call,
  contact: anonymousContact(call.contact),
  to_number: '',
  summary: null,
  transcript: [],
  transcript_text: null,
  extracted: {},
  recording_url: null,
  metadata: {},
})

export const anonymousEvent = (event: CallCompletedEvent): CallCompletedEvent => ({
  ...event,
  data: anonymousCall(event.data),
})

export const anonymousAnswer = (response: ContactAdded): ContactAdded => ({
  ...response,
  contact: anonymousContact(response.contact),
  call: anonymousCall(response.call),
})
