import type { CallsCanceled, CancelCalls } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { cancelCallsTexts as texts, canceledFields } from '../generated.ts'
import { campaigns } from '../lists.ts'
import { readInput } from '../read-input.ts'

const inputFields = defineInputFields([
  {
    key: 'about_tests',
    type: 'copy',
    helpText: 'Testing this step in the Zap editor really cancels the calls. Use a number of your own.',
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

export const perform = async (z: ZObject, bundle: Bundle) => {
  const input = readInput(z, bundle, inputFields)
  const body = {
    ...input.phoneNumber({ allowsSeveral: true }),
    campaign_id: await input.id('campaign_id', campaigns),
  } satisfies { [Field in keyof CancelCalls]?: unknown }
  const { canceled, phone_numbers } = await callApi<CallsCanceled>(
    z,
    {
      method: 'POST',
      path: '/calls/cancel',
      body,
      inputFields,
      isIdempotent: true,
      ifUncertain: 'The calls may already be canceled. You can run this step again.',
    },
    (data) => Array.isArray(data.canceled),
  )
  return { canceled, phone_numbers, canceled_count: canceled.length }
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
    sample: { canceled: [9034], phone_numbers: ['+12025550100'], canceled_count: 1 },
    outputFields: canceledFields,
  },
} satisfies Create
