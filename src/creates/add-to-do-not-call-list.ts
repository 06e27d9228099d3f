import type { AddToDoNotCallList, DoNotCallEntry } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { doNotCallFields, doNotCallTexts as texts, sampleDoNotCallEntry } from '../generated.ts'
import { readInput } from '../read-input.ts'

const inputFields = defineInputFields([
  {
    key: 'about_tests',
    type: 'copy',
    helpText:
      'Testing this step in the Zap editor really adds the number to the do-not-call list. Use +12025550100, and remove it in Outdial afterwards.',
  },
  { key: 'phone_number', ...texts.phone_number, required: true },
  { key: 'country', ...texts.country, placeholder: 'US' },
  { key: 'reason', ...texts.reason },
])

/** The API's maximum. */
const maxReasonLength = 500

export const perform = async (z: ZObject, bundle: Bundle): Promise<DoNotCallEntry> => {
  const input = readInput(z, bundle, inputFields)
  const body = {
    ...input.phoneNumber({ allowsSeveral: true }),
    // A long reason must not keep the number off the list.
    reason: input.text('reason')?.slice(0, maxReasonLength).toWellFormed(),
  } satisfies { [Field in keyof AddToDoNotCallList]: unknown }
  const request = {
    method: 'POST',
    path: '/do-not-call/',
    body,
    inputFields,
    isIdempotent: true,
    ifUncertain: 'The number may already be on the do-not-call list. You can run this step again.',
  } as const
  return callApi<DoNotCallEntry>(z, request, (data) => data.do_not_call === true)
}

export const addToDoNotCallList = {
  key: 'add_to_do_not_call_list',
  noun: 'Do-Not-Call Number',
  display: {
    label: 'Add to Do-Not-Call List',
    description: 'Adds a phone number to the do-not-call list.',
  },
  operation: {
    inputFields,
    perform,
    sample: sampleDoNotCallEntry,
    outputFields: doNotCallFields,
  },
} satisfies Create
