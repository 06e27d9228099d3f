import type { CallsCanceled, CancelCalls } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { cancelCallsTexts as texts, canceledFields, sampleCanceled } from '../generated.ts'
import { campaigns } from '../lists.ts'
import { readInput } from '../read-input.ts'

const inputFields = defineInputFields([
  {
    key: 'about_tests',
    type: 'copy',
    helpText:
      'Testing this step in the Zap editor really cancels the calls. Use a number without waiting calls, for example +12025550100.',
  },
  { key: 'phone_number', ...texts.phone_number, required: true },
  { key: 'country', ...texts.country, placeholder: 'US' },
  {
    key: 'campaign_id',
    ...texts.campaign_id,
    dynamic: 'open_campaigns.id.label',
    search: 'find_campaign.id',
  },
])

const perform = async (z: ZObject, bundle: Bundle) => {
  const input = readInput(z, bundle, inputFields)
  const body = {
    ...input.phoneNumber({ allowsSeveral: true }),
    campaign_id: await input.id('campaign_id', campaigns),
  } satisfies { [Field in keyof CancelCalls]?: unknown }
  const { canceled, phone_numbers, url } = await callApi<CallsCanceled>(
    z,
    {
      method: 'POST',
      path: '/calls/cancel',
      body,
      inputFields,
      otherIds: { campaign_id: input.idByName('campaign_id', campaigns) },
      isIdempotent: true,
      ifUncertain: 'The calls may already be canceled. You can run this step again.',
    },
    (data) => Array.isArray(data.canceled),
  )
  return { canceled, phone_numbers, url, canceled_count: canceled.length }
}

export const cancelWaitingCalls = {
  key: 'cancel_waiting_calls',
  noun: 'Call',
  display: {
    label: 'Cancel Waiting Calls',
    description: 'Cancels the calls to a person that are waiting to be placed.',
  },
  operation: {
    inputFields,
    perform,
    sample: sampleCanceled,
    outputFields: canceledFields,
  },
} satisfies Create
