import type { CampaignCreated, ConsentRequired, CreateCampaign, RetryOutcome } from '@outdial/contract'
import { type Bundle, type Create, defineInputFields, type ZObject } from 'zapier-platform-core'
import { callApi, hasId } from '../client.ts'
import { formatIssue } from '../errors.ts'
import {
  campaignFields,
  consentRequiredChoices,
  createCampaignTexts as texts,
  newCampaignFields,
  outcomeChoices,
  sampleNewCampaign,
  weekdayLabels,
} from '../generated.ts'
import { agents, campaigns, phoneNumbers } from '../lists.ts'
import { readInput, yesOrNo } from '../read-input.ts'

const retryOutcomes = {
  no_answer: outcomeChoices.no_answer,
  busy: outcomeChoices.busy,
  voicemail: outcomeChoices.voicemail,
  failed: outcomeChoices.failed,
} satisfies Record<RetryOutcome, string>

const consentRequired = consentRequiredChoices satisfies Record<ConsentRequired, string>

const inputFields = defineInputFields([
  {
    key: 'name',
    ...texts.name,
    required: true,
  },
  {
    key: 'agent_id',
    ...texts.agent_id,
    required: true,
    dynamic: 'agents.id.label',
  },
  {
    key: 'phone_number_id',
    ...texts.phone_number_id,
    required: true,
    dynamic: 'phone_numbers.id.label',
  },
  {
    key: 'time_zone',
    ...texts.time_zone,
    dynamic: 'time_zones.id.label',
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
    key: 'closed_on_federal_holidays',
    ...texts.closed_on_federal_holidays,
    choices: yesOrNo,
    group: 'hours',
  },
  {
    key: 'max_concurrent_calls',
    ...texts.max_concurrent_calls,
    group: 'pace',
  },
  {
    key: 'retry_max_attempts',
    ...texts.retry_max_attempts,
    group: 'pace',
  },
  {
    key: 'retry_delay_minutes',
    ...texts.retry_delay_minutes,
    group: 'pace',
  },
  {
    key: 'retry_on',
    ...texts.retry_on,
    list: true,
    choices: retryOutcomes,
    group: 'pace',
  },
  {
    key: 'one_conversation_per_day',
    ...texts.one_conversation_per_day,
    choices: yesOrNo,
    group: 'pace',
  },
  {
    key: 'consent_required',
    ...texts.consent_required,
    choices: consentRequired,
    group: 'consent',
  },
  {
    key: 'consent_max_age_days',
    ...texts.consent_max_age_days,
    group: 'consent',
  },
])

/** `warnings` is blank if there are none. */
type NewCampaign = Omit<CampaignCreated, 'warnings'> & { warnings: string }

const perform = async (z: ZObject, bundle: Bundle): Promise<NewCampaign> => {
  const input = readInput(z, bundle, inputFields)
  const body = {
    name: input.text('name'),
    agent_id: await input.id('agent_id', agents),
    phone_number_id: await input.id('phone_number_id', phoneNumbers),
    time_zone: input.timeZone('time_zone'),
    calling_hours: {
      days: input.choices('calling_hours_days', weekdayLabels),
      start: input.timeOfDay('calling_hours_start'),
      end: input.timeOfDay('calling_hours_end'),
    },
    max_concurrent_calls: input.wholeNumber('max_concurrent_calls'),
    retry: {
      max_attempts: input.wholeNumber('retry_max_attempts'),
      delay_minutes: input.wholeNumber('retry_delay_minutes'),
      on: input.choices('retry_on', retryOutcomes),
    },
    one_conversation_per_day: input.yesOrNo('one_conversation_per_day'),
    closed_on_federal_holidays: input.yesOrNo('closed_on_federal_holidays'),
    consent_required: input.choice('consent_required', consentRequired),
    consent_max_age_days: input.wholeNumber('consent_max_age_days'),
  } satisfies { [Field in keyof CreateCampaign]: unknown }
  const request = {
    method: 'POST',
    path: campaigns.path,
    body,
    inputFields,
    otherIds: {
      agent_id: input.idByName('agent_id', agents),
      phone_number_id: input.idByName('phone_number_id', phoneNumbers),
    },
    ifUncertain: 'The campaign may already exist. Check Campaigns in Outdial before you run this step again.',
  } as const
  const { warnings = [], ...campaign } = await callApi<CampaignCreated>(z, request, hasId)
  return { ...campaign, warnings: warnings.map((warning) => formatIssue(warning, inputFields)).join(' ') }
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
      { key: 'consent', label: texts.consent_required.label },
    ],
    inputFields,
    perform,
    sample: sampleNewCampaign,
    outputFields: [...campaignFields, ...newCampaignFields],
  },
} satisfies Create
