import type { AddToDoNotCallList, DoNotCallEntry } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { doNotCallFields, doNotCallTexts as texts, sampleDoNotCallEntry } from '../generated.ts'
import { readInput } from '../read-input.ts'
import { toText } from '../values.ts'

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

const perform = (z: ZObject, bundle: Bundle): Promise<DoNotCallEntry> => {
  const input = readInput(z, bundle, inputFields)
  return addNumbers(z, {
    ...input.phoneNumber({ allowsSeveral: true }),
    // A reason that's too long or a list must not keep the number off the do-not-call list.
    reason: toText(bundle.inputData.reason).trim().slice(0, maxReasonLength).toWellFormed(),
  })
}

/** The options of a request that opts a person out. Running it twice does the same as running it once. */
export const optOutOptions = {
  isIdempotent: true,
  ifUncertain: 'The number may already be on the do-not-call list. You can run this step again.',
} as const

/** Adds all numbers of a text to the do-not-call list. */
export const addNumbers = (
  z: ZObject,
  body: { [Field in keyof AddToDoNotCallList]: unknown },
): Promise<DoNotCallEntry> =>
  callApi(
    z,
    { method: 'POST', path: '/do-not-call/', body, inputFields, ...optOutOptions },
    (data) => data.do_not_call === true,
  )

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
