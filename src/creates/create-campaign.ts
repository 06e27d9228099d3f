import type { Campaign, CreateCampaign, RetryOutcome } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import {
  campaignFields,
  createCampaignTexts as texts,
  outcomeChoices,
  sampleCampaign,
  weekdayLabels,
} from '../generated.ts'
import { scalarToText, timeZones, toInteger, toList } from '../values.ts'

const retryOutcomes = {
  no_answer: outcomeChoices.no_answer,
  busy: outcomeChoices.busy,
  voicemail: outcomeChoices.voicemail,
  failed: outcomeChoices.failed,
} satisfies Record<RetryOutcome, string>

const inputFields = defineInputFields([
  {
    key: 'name',
    ...texts.name,
    required: true,
  },
  {
    key: 'agent_id',
    ...texts.agent_id,
    type: 'integer',
    required: true,
    dynamic: 'agents.id.label',
  },
  {
    key: 'phone_number_id',
    ...texts.phone_number_id,
    type: 'integer',
    required: true,
    dynamic: 'phone_numbers.id.label',
  },
  {
    key: 'time_zone',
    ...texts.time_zone,
    choices: timeZones,
    group: 'hours',
  },
  {
    key: 'calling_hours_days',
    ...texts.calling_hours_days,
    list: true,
    choices: weekdayLabels,
    group: 'hours',
  },
  {
    key: 'calling_hours_start',
    ...texts.calling_hours_start,
    placeholder: '09:00',
    group: 'hours',
  },
  {
    key: 'calling_hours_end',
    ...texts.calling_hours_end,
    placeholder: '17:00',
    group: 'hours',
  },
  {
    key: 'max_concurrent_calls',
    ...texts.max_concurrent_calls,
    type: 'integer',
    group: 'pace',
  },
  {
    key: 'retry_max_attempts',
    ...texts.retry_max_attempts,
    type: 'integer',
    group: 'pace',
  },
  {
    key: 'retry_delay_minutes',
    ...texts.retry_delay_minutes,
    type: 'integer',
    group: 'pace',
  },
  {
    key: 'retry_on',
    ...texts.retry_on,
    list: true,
    choices: retryOutcomes,
    group: 'pace',
  },
])

export const perform = async (z: ZObject, bundle: Bundle): Promise<Campaign> => {
  const input = bundle.inputData
  const body = {
    name: scalarToText(input.name),
    agent_id: toInteger(input.agent_id),
    phone_number_id: toInteger(input.phone_number_id),
    time_zone: input.time_zone,
    calling_hours: {
      days: toList(input.calling_hours_days),
      start: input.calling_hours_start,
      end: input.calling_hours_end,
    },
    max_concurrent_calls: toInteger(input.max_concurrent_calls),
    retry: {
      max_attempts: toInteger(input.retry_max_attempts),
      delay_minutes: toInteger(input.retry_delay_minutes),
      on: toList(input.retry_on),
    },
  } satisfies { [Field in keyof CreateCampaign]: unknown }
  return callApi<Campaign>(z, { method: 'POST', path: '/campaigns/', body, inputFields })
}

export const createCampaign = {
  key: 'create_campaign',
  noun: 'Campaign',
  display: {
    label: 'Create Campaign',
    description: 'Creates a calling campaign with an agent, a phone number, and calling hours.',
  },
  operation: {
    inputFieldGroups: [
      { key: 'hours', label: texts.calling_hours.label },
      { key: 'pace', label: 'Pace and Retries' },
    ],
    inputFields,
    perform,
    sample: sampleCampaign,
    outputFields: campaignFields,
  },
} satisfies Create
