import type { Campaign, CreateCampaign, RetryOutcome, Weekday } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'
import { campaignFields, sampleCampaign } from '../generated.ts'
import { scalarToText, timeZones, toInteger, toList } from '../values.ts'

const weekdays = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} satisfies Record<Weekday, string>

const retryOutcomes = {
  no_answer: 'No Answer',
  busy: 'Busy',
  voicemail: 'Voicemail',
  failed: 'Failed on the Line',
} satisfies Record<RetryOutcome, string>

const inputFields = defineInputFields([
  {
    key: 'name',
    label: 'Name',
    required: true,
    helpText: 'How you will find it again, for example "Website leads".',
  },
  {
    key: 'agent_id',
    label: 'Agent',
    type: 'integer',
    required: true,
    dynamic: 'agents.id.label',
    helpText: 'The voice agent that talks to your contacts. Only agents that are Live can be chosen.',
  },
  {
    key: 'phone_number_id',
    label: 'Caller Number',
    type: 'integer',
    required: true,
    dynamic: 'phone_numbers.id.label',
    helpText: 'The number that your contacts see when they are called.',
  },
  {
    key: 'time_zone',
    label: 'Time Zone',
    choices: timeZones,
    group: 'hours',
    helpText: 'Used for contacts whose own time zone is not known. Empty: the time zone of your workspace.',
  },
  {
    key: 'calling_hours_days',
    label: 'Days',
    list: true,
    choices: weekdays,
    group: 'hours',
    helpText: 'Contacts are called on these days. Empty: Monday to Friday.',
  },
  {
    key: 'calling_hours_start',
    label: 'Not Before',
    placeholder: '09:00',
    group: 'hours',
    helpText:
      'The first time of day at which a contact is called, on the clock where the contact is. Empty: 09:00.',
  },
  {
    key: 'calling_hours_end',
    label: 'Not After',
    placeholder: '17:00',
    group: 'hours',
    helpText: 'No call starts from this time on; 24:00 is the end of the day. Empty: 17:00.',
  },
  {
    key: 'max_concurrent_calls',
    label: 'Calls at Once',
    type: 'integer',
    group: 'pace',
    helpText: 'How many people may be on the phone at the same time, from 1 to 100. Empty: 5.',
  },
  {
    key: 'retry_max_attempts',
    label: 'Attempts',
    type: 'integer',
    group: 'pace',
    helpText: 'How often a contact is tried in all, from 1 to 10. Empty: 3.',
  },
  {
    key: 'retry_delay_minutes',
    label: 'Minutes Between Attempts',
    type: 'integer',
    group: 'pace',
    helpText: 'From 1 to 1440, which is a day. Empty: 60.',
  },
  {
    key: 'retry_on',
    label: 'Try Again After',
    list: true,
    choices: retryOutcomes,
    group: 'pace',
    helpText: 'The endings after which a contact is tried again. Empty: no answer and busy.',
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
    description: 'Creates a campaign: who calls, from which number, at what times and how often.',
  },
  operation: {
    inputFieldGroups: [
      { key: 'hours', label: 'Calling Hours' },
      { key: 'pace', label: 'Pace and Retries' },
    ],
    inputFields,
    perform,
    sample: sampleCampaign,
    outputFields: campaignFields,
  },
} satisfies Create
