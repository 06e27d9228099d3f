import { createHash } from 'node:crypto'
import type { AddContact, ContactAdded } from '@outdial/contract'
import type { Bundle, Create, ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { callFields, contactAddedFields, sampleContactAdded } from '../generated.ts'
import { scalarToText, toCountry, toDictionary, toInteger, toText } from '../values.ts'
import { inputFieldGroups, inputFields } from './queue-call-fields.ts'

export const perform = async (z: ZObject, bundle: Bundle) => {
  const input = bundle.inputData
  const body = {
    campaign_id: toInteger(input.campaign_id),
    phone_number: scalarToText(input.phone_number),
    country: toCountry(input.country),
    first_name: scalarToText(input.first_name),
    last_name: scalarToText(input.last_name),
    email: input.email,
    external_id: scalarToText(input.external_reference),
    time_zone: input.time_zone,
    variables: toDictionary(input.variables),
    scheduled_at: input.scheduled_at,
    if_already_queued: input.if_already_queued,
    test: input.test,
    consent: { source: input.consent_source, at: input.consent_at },
    do_not_call: input.do_not_call,
    metadata: toDictionary(input.metadata),
  } satisfies { [Field in keyof AddContact]: unknown }
  const headers = idempotencyHeader(input.deduplication_key)
  const response = await callApi<ContactAdded>(z, {
    method: 'POST',
    path: '/contacts/',
    body,
    headers,
    inputFields,
  })
  return { id: response.call.id, ...response }
}

/** Returns the header with a hash of the key: headers only take Latin-1, and the user's key can be any text. */
function idempotencyHeader(key: unknown): Record<string, string> {
  const text = toText(key)
  if (text.trim() === '') return {}
  return { 'Idempotency-Key': `zap-${createHash('sha256').update(text).digest('hex')}` }
}

export const queueCall = {
  key: 'queue_call',
  noun: 'Call',
  display: {
    label: 'Queue Call',
    description: 'Queues a phone call from a voice agent to a person, and saves the person as a contact.',
  },
  operation: {
    inputFieldGroups,
    inputFields,
    perform,
    sample: { id: sampleContactAdded.call.id, ...sampleContactAdded },
    // The result's own ID is the call's.
    outputFields: [...callFields.filter(({ key }) => key === 'id'), ...contactAddedFields],
  },
} satisfies Create
