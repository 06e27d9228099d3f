// Generated from the contract by `npm run generate`. A test checks that this file is up to date. The connector
// ships without schemas, and uses these samples, fields, and texts instead.
import type { Campaign } from '@outdial/contract'
import type { PlainOutputField } from 'zapier-platform-core'

export const version = '1.0.0'

export const sampleCampaign: Campaign = {
  id: 12,
  name: 'Website leads',
  status: 'active',
  agent_id: 1,
  phone_number_id: 1,
  time_zone: 'America/New_York',
  calling_hours: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' },
  max_concurrent_calls: 5,
  retry: { max_attempts: 3, delay_minutes: 60, on: ['no_answer', 'busy'] },
  consent_required: 'any',
  consent_max_age_days: 365,
  one_conversation_per_day: false,
  closed_on_federal_holidays: true,
  paused_reason: null,
  opens_at: '2026-05-04T13:00:00.000Z',
  agent_variables: ['product'],
  agent_name: 'Ava',
  phone_number: '+12025550199',
  url: 'https://outdial.example.com/w/3/campaigns/12',
  created_at: '2026-05-04T08:00:00.000Z',
}

export const sampleNewCampaign = {
  id: 12,
  name: 'Website leads',
  status: 'active',
  agent_id: 1,
  phone_number_id: 1,
  time_zone: 'America/New_York',
  calling_hours: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' },
  max_concurrent_calls: 5,
  retry: { max_attempts: 3, delay_minutes: 60, on: ['no_answer', 'busy'] },
  consent_required: 'any',
  consent_max_age_days: 365,
  one_conversation_per_day: false,
  closed_on_federal_holidays: true,
  paused_reason: null,
  opens_at: '2026-05-04T13:00:00.000Z',
  agent_variables: ['product'],
  agent_name: 'Ava',
  phone_number: '+12025550199',
  url: 'https://outdial.example.com/w/3/campaigns/12',
  created_at: '2026-05-04T08:00:00.000Z',
  warnings:
    'Maximum Attempts: The rules allow 2 call attempts per number in 24 hours, so retries after that wait. Choose fewer attempts, or allow more under Settings → Who may be called.',
}

export const sampleCall = {
  id: 9034,
  status: 'completed',
  outcome: 'answered',
  ended_reason: 'agent_hung_up',
  waiting_for: null,
  next_attempt_at: null,
  test: false,
  campaign_id: 12,
  campaign_name: 'Website leads',
  agent_id: 1,
  agent_name: 'Ava',
  agent_version: 3,
  contact: {
    id: 481,
    phone_number: '+12025550100',
    first_name: 'Maya',
    last_name: 'Okafor',
    email: 'maya@example.com',
    external_id: 'crm-2291',
    time_zone: 'America/New_York',
    do_not_call: false,
    consent: { source: 'Website form', at: '2026-05-04T13:58:00.000Z', kind: 'written' },
    created_at: '2026-05-04T13:58:02.000Z',
    updated_at: '2026-05-04T13:58:02.000Z',
  },
  from_number: '+12025550199',
  to_number: '+12025550100',
  attempts: 1,
  origin: { kind: 'app', id: 'odc_4VnX2kqLr8ZtYb7m', call_id: null },
  url: 'https://outdial.example.com/w/3/calls/9034',
  scheduled_at: null,
  queued_at: '2026-05-04T13:58:02.000Z',
  answered_at: '2026-05-04T13:58:15.000Z',
  ended_at: '2026-05-04T13:59:21.000Z',
  duration_seconds: 66,
  summary: 'Maya is interested in a roof inspection and asked for a visit on Thursday morning.',
  transcript: [],
  transcript_text:
    'Agent: Hello Maya, this is Ava. You asked about a roof inspection.\nContact: Yes, could someone come on Thursday morning?',
  sentiment: 'positive',
  opted_out: false,
  goal_met: true,
  recording_url: null,
  outcome_label: 'Answered',
  reached: true,
  recording: null,
  transcript_file: null,
}

export const sampleQueuedCall = {
  id: 9034,
  status: 'queued',
  outcome: null,
  ended_reason: null,
  waiting_for: null,
  next_attempt_at: '2026-05-04T13:58:02.000Z',
  test: false,
  campaign_id: 12,
  campaign_name: 'Website leads',
  agent_id: 1,
  agent_name: 'Ava',
  agent_version: 3,
  contact: {
    id: 481,
    phone_number: '+12025550100',
    first_name: 'Maya',
    last_name: 'Okafor',
    email: 'maya@example.com',
    external_id: 'crm-2291',
    time_zone: 'America/New_York',
    do_not_call: false,
    consent: { source: 'Website form', at: '2026-05-04T13:58:00.000Z', kind: 'written' },
    created_at: '2026-05-04T13:58:02.000Z',
    updated_at: '2026-05-04T13:58:02.000Z',
  },
  from_number: '+12025550199',
  to_number: '+12025550100',
  attempts: 0,
  origin: { kind: 'app', id: 'odc_4VnX2kqLr8ZtYb7m', call_id: null },
  url: 'https://outdial.example.com/w/3/calls/9034',
  scheduled_at: null,
  queued_at: '2026-05-04T13:58:02.000Z',
  answered_at: null,
  ended_at: null,
  duration_seconds: null,
  summary: null,
  transcript: [],
  transcript_text: null,
  sentiment: 'unknown',
  opted_out: false,
  goal_met: null,
  recording_url: null,
  outcome_label: null,
  reached: false,
  recording: null,
  transcript_file: null,
  contact_created: true,
  call_queued: true,
  warnings: "Left out: Email isn't a valid email address. Enter it like ada@example.com, or leave it blank.",
}

export const campaignFields: PlainOutputField[] = [
  { key: 'id', label: 'ID', type: 'integer', primary: true },
  { key: 'name', label: 'Name', type: 'string' },
  { key: 'status', label: 'Status', type: 'string' },
  { key: 'agent_id', label: 'Agent ID', type: 'integer' },
  { key: 'phone_number_id', label: 'Phone Number ID', type: 'integer' },
  { key: 'time_zone', label: 'Time Zone', type: 'string' },
  { key: 'calling_hours__days', label: 'Calling Days', type: 'string', list: true },
  { key: 'calling_hours__start', label: 'Calling Hours Start', type: 'string' },
  { key: 'calling_hours__end', label: 'Calling Hours End', type: 'string' },
  { key: 'max_concurrent_calls', label: 'Maximum Concurrent Calls', type: 'integer' },
  { key: 'retry__max_attempts', label: 'Maximum Attempts', type: 'integer' },
  { key: 'retry__delay_minutes', label: 'Minutes Between Attempts', type: 'integer' },
  { key: 'retry__on', label: 'Outcomes to Retry', type: 'string', list: true },
  { key: 'paused_reason', label: 'Pause Reason', type: 'string' },
  { key: 'consent_required', label: 'Required Consent', type: 'string' },
  { key: 'consent_max_age_days', label: 'Maximum Age of Consent (in Days)', type: 'integer' },
  { key: 'one_conversation_per_day', label: 'One Conversation Per Number in 24 Hours', type: 'boolean' },
  { key: 'closed_on_federal_holidays', label: 'Closed on Federal Holidays', type: 'boolean' },
  { key: 'opens_at', label: 'Opens At', type: 'datetime' },
  { key: 'agent_variables', label: 'Agent Variables', type: 'string', list: true },
  { key: 'agent_name', label: 'Agent Name', type: 'string' },
  { key: 'phone_number', label: 'Phone Number', type: 'string' },
  { key: 'url', label: 'Dashboard URL', type: 'string' },
  { key: 'created_at', label: 'Created At', type: 'datetime' },
]

export const newCampaignFields: PlainOutputField[] = [{ key: 'warnings', label: 'Warnings', type: 'string' }]

export const callFields: PlainOutputField[] = [
  { key: 'id', label: 'ID', type: 'integer', primary: true },
  { key: 'status', label: 'Status', type: 'string' },
  { key: 'outcome', label: 'Outcome', type: 'string' },
  { key: 'outcome_label', label: 'Outcome in Words', type: 'string' },
  { key: 'reached', label: 'Person Answered', type: 'boolean' },
  { key: 'ended_reason', label: 'End Reason', type: 'string' },
  { key: 'waiting_for', label: 'Waiting For', type: 'string' },
  { key: 'next_attempt_at', label: 'Next Attempt At', type: 'datetime' },
  { key: 'test', label: 'Test Call', type: 'boolean' },
  { key: 'campaign_id', label: 'Campaign ID', type: 'integer' },
  { key: 'campaign_name', label: 'Campaign Name', type: 'string' },
  { key: 'agent_id', label: 'Agent ID', type: 'integer' },
  { key: 'agent_name', label: 'Agent Name', type: 'string' },
  { key: 'agent_version', label: 'Agent Version', type: 'integer' },
  { key: 'contact__id', label: 'Contact ID', type: 'integer' },
  { key: 'contact__phone_number', label: 'Contact Phone Number', type: 'string' },
  { key: 'contact__first_name', label: 'Contact First Name', type: 'string' },
  { key: 'contact__last_name', label: 'Contact Last Name', type: 'string' },
  { key: 'contact__email', label: 'Contact Email', type: 'string' },
  { key: 'contact__external_id', label: 'Contact External ID', type: 'string' },
  { key: 'contact__time_zone', label: 'Contact Time Zone', type: 'string' },
  { key: 'contact__do_not_call', label: 'Contact Is on Do-Not-Call List', type: 'boolean' },
  { key: 'contact__consent__source', label: 'Contact Consent Source', type: 'string' },
  { key: 'contact__consent__at', label: 'Contact Consent Date', type: 'datetime' },
  { key: 'contact__consent__kind', label: 'Contact Consent Kind', type: 'string' },
  { key: 'contact__created_at', label: 'Contact Created At', type: 'datetime' },
  { key: 'contact__updated_at', label: 'Contact Updated At', type: 'datetime' },
  { key: 'from_number', label: 'From Number', type: 'string' },
  { key: 'to_number', label: 'Number Called', type: 'string' },
  { key: 'attempts', label: 'Attempts Made', type: 'integer' },
  { key: 'origin__kind', label: 'Queued By', type: 'string' },
  { key: 'origin__id', label: 'Queued by (ID)', type: 'string' },
  { key: 'origin__call_id', label: 'Earlier Call ID', type: 'integer' },
  { key: 'url', label: 'Dashboard URL', type: 'string' },
  { key: 'scheduled_at', label: 'Earliest Call Time', type: 'datetime' },
  { key: 'queued_at', label: 'Queued At', type: 'datetime' },
  { key: 'answered_at', label: 'Answered At', type: 'datetime' },
  { key: 'ended_at', label: 'Ended At', type: 'datetime' },
  { key: 'duration_seconds', label: 'Duration (in Seconds)', type: 'integer' },
  { key: 'summary', label: 'Summary', type: 'string' },
  { key: 'transcript[]role', label: 'Transcript Turn Speaker', type: 'string' },
  { key: 'transcript[]text', label: 'Transcript Turn Text', type: 'string' },
  { key: 'transcript[]at', label: 'Transcript Turn Time', type: 'datetime' },
  { key: 'transcript_text', label: 'Full Transcript', type: 'string' },
  { key: 'sentiment', label: 'Sentiment', type: 'string' },
  { key: 'opted_out', label: 'Contact Opted Out', type: 'boolean' },
  { key: 'goal_met', label: 'Goal Met', type: 'boolean' },
  { key: 'recording_url', label: 'Recording URL', type: 'string' },
  { key: 'recording', label: 'Recording', type: 'file' },
  { key: 'transcript_file', label: 'Transcript File', type: 'file' },
]

export const queuedFields: PlainOutputField[] = [
  { key: 'contact_created', label: 'New Contact Created', type: 'boolean' },
  { key: 'call_queued', label: 'New Call Queued', type: 'boolean' },
  { key: 'warnings', label: 'Warnings', type: 'string' },
]

export const sampleDoNotCallEntry = {
  phone_number: '+12025550100',
  phone_numbers: ['+12025550100'],
  do_not_call: true,
  url: 'https://outdial.example.com/w/3/contacts/do-not-call?number=%2B12025550100',
}

export const doNotCallFields: PlainOutputField[] = [
  { key: 'phone_number', label: 'Phone Number', type: 'string' },
  { key: 'phone_numbers', label: 'All Phone Numbers', type: 'string', list: true },
  { key: 'do_not_call', label: 'Is on Do-Not-Call List', type: 'boolean' },
  { key: 'url', label: 'Dashboard URL', type: 'string' },
]

export const sampleDoNotCallNumber = {
  phone_number: '+12025550100',
  added_at: '2026-05-04T14:10:00.000Z',
  reason: 'Asked not to be called',
  source: 'api',
}

export const doNotCallNumberFields: PlainOutputField[] = [
  { key: 'phone_number', label: 'Phone Number', type: 'string', primary: true },
  { key: 'added_at', label: 'Added At', type: 'datetime' },
  { key: 'reason', label: 'Reason', type: 'string' },
  { key: 'source', label: 'Source', type: 'string' },
]

export const sampleCanceled = {
  canceled: [9034],
  phone_numbers: ['+12025550100'],
  url: 'https://outdial.example.com/w/3/calls?search=%2B12025550100',
  canceled_count: 1,
}

export const canceledFields: PlainOutputField[] = [
  { key: 'canceled', label: 'Canceled Call IDs', type: 'integer', list: true },
  { key: 'phone_numbers', label: 'All Phone Numbers', type: 'string', list: true },
  { key: 'url', label: 'Dashboard URL', type: 'string' },
  { key: 'canceled_count', label: 'Number of Canceled Calls', type: 'integer' },
]

export const queueCallTexts = {
  phone_number: {
    label: 'Phone Number',
    helpText: 'Include the country code, for example `+12025550100`, or set **Country**.',
  },
  campaign_id: {
    label: 'Campaign',
    helpText:
      'The campaign determines which agent calls, which number the agent calls from, and the calling hours.',
  },
  country: {
    label: 'Country',
    helpText:
      "Used when the phone number doesn't start with a country code such as `+1`. Enter the country's two-letter code or its name, for example `US`. Defaults to your workspace's country.",
  },
  first_name: { label: 'First Name' },
  last_name: { label: 'Last Name' },
  email: { label: 'Email' },
  external_id: {
    label: 'External Reference',
    helpText: "This person's record ID in your CRM or another app. Outdial returns it with every call.",
  },
  time_zone: {
    label: 'Time Zone',
    helpText:
      'Calls are placed within calling hours in this time zone. Eastern Time, EST, and the like work only for numbers in the United States and Canada. Leave blank to detect the time zone from the phone number.',
  },
  variables: {
    label: 'Variables',
    helpText:
      "Details for the agent's script. Put the variable's name on the left, for example `product`, and its value on the right. At most 100 variables, with at most 2,000 characters each.",
  },
  do_not_call: {
    label: 'Do Not Call',
    helpText:
      "Choose **Yes** to add this number to the do-not-call list, so that it's never called. **No** doesn't remove it from the list.",
  },
  consent: { label: 'Consent' },
  consent_source: {
    label: 'Consent Source',
    helpText: 'Where this person agreed to be called, for example `Website form`. Requires **Consent Date**.',
  },
  consent_at: {
    label: 'Consent Date',
    helpText:
      "When this person agreed to be called, for example `2026-05-04 09:30`. A time without a time zone is in the Zap's time zone. Requires **Consent Source**.",
  },
  consent_kind: {
    label: 'Consent Kind',
    helpText:
      'How this person agreed to be called. Requires **Consent Source** and **Consent Date**. If you leave this blank, a saved kind stays only if the source and the date are the same as the saved ones.',
  },
  metadata: {
    label: 'Metadata',
    helpText:
      "Your own data, for example `lead_id` on the left and the lead's ID on the right. The **Call Completed** trigger returns it unchanged. The agent doesn't see it. At most 50 entries, with at most 500 characters each.",
  },
  scheduled_at: {
    label: 'Earliest Call Time',
    helpText:
      "The call is placed at or after this time, within the campaign's calling hours. For example `2026-05-04 09:30`, or a mapped date followed by `+1d`. A time without a time zone is in the Zap's time zone. If it has passed, or you leave this blank, the call is placed as soon as possible. Can't be more than one year ahead.",
  },
  if_already_queued: {
    label: 'If a Call Is Waiting or in Progress',
    helpText:
      'What to do if a call to this person is already waiting or in progress in this campaign. By default, no second call is queued. The step still succeeds, and its output **New Call Queued** is false.',
  },
  test: {
    label: 'Test Call',
    helpText:
      'Choose **Yes** to simulate the call, so that no phone rings. Leave blank to simulate it only while you test this step in the Zap editor.',
  },
  callback_url: { label: 'Callback URL' },
  lenient: { label: 'Lenient' },
}

export const deduplicationKeyText = {
  label: 'Deduplication Key',
  helpText:
    "A unique value for this call, for example the form entry's ID. If this step runs again with the same value in this campaign within 24 hours, no second call is queued.",
}

export const zapierErrors = {
  invalid_country: "Country isn't known. Enter its two-letter code, for example US.",
  too_many_callback_urls: 'Five Zaps already wait for this call. Use the Call Completed trigger instead.',
  invalid_datetime: 'Consent Date must be a date and time, for example 2026-05-04 09:30.',
  invalid_time_zone: 'Time Zone must be a time zone, for example New York or America/New_York.',
  invalid_idempotency_key:
    "The Deduplication Key is empty, too long, or has characters that aren't allowed. Use 1 to 255 printable ASCII characters.",
  insufficient_scope:
    "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow the permission.",
  idempotency_key_in_use: 'Another request with this Deduplication Key is in progress.',
  idempotency_key_reused:
    'The Deduplication Key was used in the last 24 hours with different data. Use a different key for each call.',
}

export const campaignNameLabel = 'Name'

export const createCampaignTexts = {
  name: { label: 'Name', helpText: 'For example `Website leads`.' },
  agent_id: {
    label: 'Agent',
    helpText: 'The voice agent that calls your contacts. Only Live agents are listed.',
  },
  phone_number_id: { label: 'Phone Number', helpText: 'The number your contacts see when the agent calls.' },
  time_zone: {
    label: 'Time Zone',
    helpText: "Used when a contact's time zone is unknown. Defaults to your workspace's time zone.",
  },
  calling_hours: { label: 'Calling Hours' },
  calling_hours_days: {
    label: 'Calling Days',
    helpText: "The days to call on. Defaults to your workspace's calling days.",
  },
  calling_hours_start: {
    label: 'Calling Hours Start',
    helpText:
      "The earliest time to call, in the contact's time zone, for example `09:00`. Defaults to your workspace's calling hours.",
  },
  calling_hours_end: {
    label: 'Calling Hours End',
    helpText:
      "The latest time to start a call, for example `17:00`, or `24:00` for midnight. If it's before **Calling Hours Start**, calling hours end on the next day. Defaults to your workspace's calling hours.",
  },
  max_concurrent_calls: {
    label: 'Maximum Concurrent Calls',
    helpText: 'How many calls may be in progress at the same time, from 1 to 100. Defaults to 5.',
  },
  retry: { label: 'Retries' },
  retry_max_attempts: {
    label: 'Maximum Attempts',
    helpText: 'How many times to call each contact in total, from 1 to 10. Defaults to 3.',
  },
  retry_delay_minutes: {
    label: 'Minutes Between Attempts',
    helpText: 'From 1 to 1440 (one day). Defaults to 60.',
  },
  retry_on: {
    label: 'Outcomes to Retry',
    helpText: 'Contacts are called again after these outcomes. Defaults to No Answer and Busy.',
  },
  consent_required: {
    label: 'Required Consent',
    helpText:
      "Contacts who haven't given it aren't called. Defaults to No Consent Required. Your workspace can require more.",
  },
  consent_max_age_days: {
    label: 'Maximum Age of Consent (in Days)',
    helpText:
      'From 1 to 3650. Leave blank for any age. Applies if the campaign or your workspace requires consent.',
  },
  closed_on_federal_holidays: {
    label: 'Closed on Federal Holidays',
    helpText:
      "Choose **Yes** to place no calls on federal holidays of the United States, by the contact's local date. Defaults to No.",
  },
  one_conversation_per_day: {
    label: 'One Conversation Per Number in 24 Hours',
    helpText:
      'Choose **Yes** to wait 24 hours after each conversation with a number, in any campaign, before this campaign calls it. Defaults to No.',
  },
}

export const callCompletedTexts = {
  campaign_id: {
    label: 'Campaign',
    helpText: 'Only trigger for calls in this campaign. Leave blank for all campaigns.',
  },
  agent_id: {
    label: 'Agent',
    helpText: 'Only trigger for calls made by this agent. Leave blank for all agents.',
  },
  outcome: { label: 'Outcomes', helpText: 'Only trigger for these outcomes. Leave blank for all outcomes.' },
  contact_id: { label: 'Contact ID' },
  phone_number: { label: 'Phone Number' },
  external_id: { label: 'External ID' },
  goal_met: {
    label: 'Goal Met',
    helpText: 'Only trigger for calls that met their goal, or that missed it. Leave blank for all calls.',
  },
  opted_out: { label: 'Contact Opted Out' },
  test: { label: 'Test Calls' },
  include_test_calls: {
    label: 'Include Test Calls',
    helpText: 'Choose **Yes** to trigger for test calls as well. By default, only real calls trigger.',
  },
}

export const findCallTexts = {
  call: {
    label: 'Call',
    helpText:
      'The ID of a call, for example from an earlier step. If you enter one, the other fields are ignored.',
  },
  phone_number: {
    label: 'Phone Number',
    helpText:
      'Enter this or **External Reference**. Include the country code, for example `+12025550100`, or set **Country**.',
  },
  country: {
    label: 'Country',
    helpText:
      "Used when the phone number doesn't start with a country code such as `+1`. Enter the country's two-letter code or its name, for example `US`. Defaults to your workspace's country.",
  },
  external_id: {
    label: 'External Reference',
    helpText:
      "Enter this or **Phone Number**. This person's record ID in your CRM or another app, as it was saved by **Queue Call**.",
  },
  campaign_id: {
    label: 'Campaign',
    helpText: 'Only find calls in this campaign. Leave blank for all campaigns.',
  },
  include_test_calls: {
    label: 'Include Test Calls',
    helpText:
      'Choose **Yes** to find test calls as well. By default, only real calls are found, except while you test this step in the Zap editor.',
  },
}

export const cancelCallsTexts = {
  phone_number: {
    label: 'Phone Number',
    helpText:
      'The calls to this number are canceled. Include the country code, for example `+12025550100`, or set **Country**.',
  },
  contact_id: { label: 'Contact ID' },
  country: {
    label: 'Country',
    helpText:
      "Used when the phone number doesn't start with a country code such as `+1`. Enter the country's two-letter code or its name, for example `US`. Defaults to your workspace's country.",
  },
  campaign_id: {
    label: 'Campaign',
    helpText: 'Only cancel calls in this campaign. Leave blank for all campaigns.',
  },
}

export const doNotCallTexts = {
  phone_number: {
    label: 'Phone Number',
    helpText: 'Include the country code, for example `+12025550100`, or set **Country**.',
  },
  country: {
    label: 'Country',
    helpText:
      "Used when the phone number doesn't start with a country code such as `+1`. Enter the country's two-letter code or its name, for example `US`. Defaults to your workspace's country.",
  },
  reason: {
    label: 'Reason',
    helpText: 'Why this person must not be called, for example `Booked an appointment`. Shown in Outdial.',
  },
}

export const findCampaignTexts = {
  partial_match: {
    label: 'Include Partial Matches',
    helpText:
      'Choose **Yes** to also find campaigns whose name contains the text. By default, only an exact name is found.',
  },
  include_archived: {
    label: 'Include Archived',
    helpText:
      "Choose **Yes** to also find archived campaigns. Leave blank in **Find or Create Campaign**, because an archived campaign doesn't take calls.",
  },
}

export const findDoNotCallNumberTexts = {
  phone_number: {
    label: 'Phone Number',
    helpText:
      'Include the country code, for example `+12025550100`, or set **Country**. Nothing is found if the number is not on the do-not-call list.',
  },
  country: {
    label: 'Country',
    helpText:
      "Used when the phone number doesn't start with a country code such as `+1`. Enter the country's two-letter code or its name, for example `US`. Defaults to your workspace's country.",
  },
}

export const weekdayLabels = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

export const consentRequiredChoices = {
  none: 'No Consent Required',
  any: 'Any Consent',
  written: 'Written Consent',
}

export const consentKindLabels = { written: 'Written', oral: 'Oral' }

export const outcomeLabels = {
  answered: 'Answered',
  voicemail: 'Voicemail',
  no_answer: 'No answer',
  busy: 'Busy',
  declined: 'Declined',
  failed: 'Failed',
  suppressed: 'Suppressed',
  expired: 'Expired',
  canceled: 'Canceled',
}

export const outcomeChoices = {
  answered: 'Answered',
  voicemail: 'Voicemail',
  no_answer: 'No Answer',
  busy: 'Busy',
  declined: 'Declined',
  failed: 'Failed (Technical Error)',
  suppressed: 'Suppressed (Number Must Not Be Called)',
  expired: 'Expired (Not Placed Within 7 Days)',
  canceled: 'Canceled (Before It Was Placed)',
}
