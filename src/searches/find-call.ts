import { type Bundle, defineInputFields, type Search, type ZObject } from 'zapier-platform-core'
import { callApi, readList } from '../client.ts'
import { mistake } from '../errors.ts'
import { listExtractedFields } from '../extracted-fields.ts'
import { calls, type FlatCall, flattenCall, isCall } from '../flat-call.ts'
import { callFields, findCallTexts as texts, sampleCall } from '../generated.ts'
import { campaigns } from '../lists.ts'
import { readInput, yesOrNo } from '../read-input.ts'

const inputFields = defineInputFields([
  { key: 'call', ...texts.call },
  { key: 'phone_number', ...texts.phone_number },
  { key: 'country', ...texts.country, placeholder: 'US' },
  { key: 'external_reference', ...texts.external_id },
  { key: 'campaign_id', ...texts.campaign_id, dynamic: 'campaigns.id.label', search: 'find_campaign.id' },
  { key: 'include_test_calls', ...texts.include_test_calls, choices: yesOrNo },
])

const limit = 10

/** Returns the newest calls first, because Zapier uses the first result. */
const perform = async (z: ZObject, bundle: Bundle): Promise<FlatCall[]> => {
  const input = readInput(z, bundle, inputFields)
  const id = input.wholeNumber('call')
  if (id !== undefined) return findById(z, id)
  const { phone_number, country } = input.phoneNumber()
  const external_id = input.text('external_reference')
  if (phone_number === undefined && external_id === undefined)
    throw mistake(z, 'Enter a Phone Number, an External Reference, or a Call.')
  const wantsTests = input.yesOrNo('include_test_calls')
  const query = {
    phone_number,
    country,
    external_id,
    campaign_id: await input.id('campaign_id', campaigns),
    // Includes test calls in the Zap editor, because there, an earlier step queues a test call.
    test: wantsTests || bundle.meta.isLoadingSample ? undefined : 'exclude',
    limit,
  }
  const options = { inputFields, haltsOnInvalidData: true }
  const { results } = await readList(z, calls, query, options)
  return results.map((call) => flattenCall(z, call))
}

async function findById(z: ZObject, id: number): Promise<FlatCall[]> {
  const request = { method: 'GET', path: `/calls/${id}/`, inputFields, acceptsNotFound: true } as const
  const call: unknown = await callApi(z, request, isCall)
  return isCall(call) ? [flattenCall(z, call)] : []
}

export const findCall = {
  key: 'find_call',
  noun: 'Call',
  display: {
    label: 'Find Call',
    description: 'Finds the newest call to a person, or a call by its ID.',
  },
  operation: { inputFields, perform, sample: sampleCall, outputFields: [...callFields, listExtractedFields] },
} satisfies Search
