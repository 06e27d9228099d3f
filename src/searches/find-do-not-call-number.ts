import type { DoNotCallNumber } from '@outdial/contract'
import { type Bundle, defineInputFields, type Search, type ZObject } from 'zapier-platform-core'
import { type ApiList, readList } from '../client.ts'
import {
  doNotCallNumberFields,
  findDoNotCallNumberTexts as texts,
  sampleDoNotCallNumber,
} from '../generated.ts'
import { readInput } from '../read-input.ts'
import { isObject } from '../values.ts'

const inputFields = defineInputFields([
  { key: 'phone_number', ...texts.phone_number, required: true },
  { key: 'country', ...texts.country, placeholder: 'US' },
])

const doNotCallNumbers: ApiList<DoNotCallNumber> = {
  path: '/do-not-call/',
  isItem: (value): value is DoNotCallNumber => isObject(value) && typeof value.phone_number === 'string',
}

const perform = async (z: ZObject, bundle: Bundle): Promise<DoNotCallNumber[]> => {
  const query = readInput(z, bundle, inputFields).phoneNumber({ allowsSeveral: true })
  const options = { inputFields, haltsOnInvalidData: true }
  return (await readList(z, doNotCallNumbers, query, options)).results
}

export const findDoNotCallNumber = {
  key: 'find_do_not_call_number',
  noun: 'Do-Not-Call Number',
  display: {
    label: 'Find Do-Not-Call Number',
    description: 'Finds a phone number on the do-not-call list.',
  },
  operation: { inputFields, perform, sample: sampleDoNotCallNumber, outputFields: doNotCallNumberFields },
} satisfies Search
