// cspell:ignore ILPZ
import type { ContactAdded } from './add-contact.ts'
import type { Agent } from './agent.ts'
import type { Call } from './call.ts'
import type { Campaign } from './campaign.ts'
import type { CallsCanceled } from './cancel-calls.ts'
import type { Contact } from './contact.ts'
import type { DoNotCallEntry, DoNotCallNumber } from './do-not-call.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { WebhookSubscription } from './webhook.ts'

/** The examples in this file are realistic responses. The OpenAPI document shows them, and Zapier shows them as samples. */
export const exampleAgent: Agent = {
  id: 1,
  name: 'Ava',
  language: 'en-US',
  variables: ['product'],
  results: [
    { name: 'interested', type: 'yes_no', description: 'Whether they want an offer', choices: [] },
    { name: 'appointment_day', type: 'text', description: 'The day they prefer', choices: [] },
  ],
}

export const examplePhoneNumber: PhoneNumber = {
  id: 1,
  phone_number: '+12025550199',
  label: 'Sales, Washington',
  country: 'US',
}

export const exampleCampaign: Campaign = {
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

export const exampleContact: Contact = {
  id: 481,
  phone_number: '+12025550100',
  first_name: 'Maya',
  last_name: 'Okafor',
  email: 'maya@example.com',
  external_id: 'crm-2291',
  time_zone: 'America/New_York',
  variables: { product: 'Roof inspection' },
  do_not_call: false,
  consent: { source: 'Website form', at: '2026-05-04T13:58:00.000Z', kind: 'written' },
  created_at: '2026-05-04T13:58:02.000Z',
  updated_at: '2026-05-04T13:58:02.000Z',
}

export const exampleCall: Call = {
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
  contact: exampleContact,
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
  transcript: [
    {
      role: 'agent',
      text: 'Hello Maya, this is Ava. You asked about a roof inspection.',
      at: '2026-05-04T13:58:16.000Z',
    },
    {
      role: 'contact',
      text: 'Yes, could someone come on Thursday morning?',
      at: '2026-05-04T13:58:24.000Z',
    },
  ],
  transcript_text:
    'Agent: Hello Maya, this is Ava. You asked about a roof inspection.\nContact: Yes, could someone come on Thursday morning?',
  sentiment: 'positive',
  opted_out: false,
  goal_met: true,
  extracted: { interested: true, preferred_time: 'Thursday morning' },
  recording_url: null,
  metadata: { lead_source: 'Website form' },
}

export const exampleDoNotCallEntry: DoNotCallEntry = {
  phone_number: '+12025550100',
  phone_numbers: ['+12025550100'],
  do_not_call: true,
  url: 'https://outdial.example.com/w/3/contacts/do-not-call?number=%2B12025550100',
}

export const exampleDoNotCallNumber: DoNotCallNumber = {
  phone_number: '+12025550100',
  added_at: '2026-05-04T14:10:00.000Z',
  reason: 'Asked not to be called',
  source: 'api',
}

export const exampleCallsCanceled: CallsCanceled = {
  canceled: [9034],
  phone_numbers: ['+12025550100'],
  url: 'https://outdial.example.com/w/3/calls?search=%2B12025550100',
}

export const exampleSubscription: WebhookSubscription = {
  id: 7,
  target_url: 'https://hooks.example.com/outdial',
  event: 'call.completed',
  filter: { campaign_id: 12, agent_id: null, outcome: ['answered', 'voicemail'] },
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  created_at: '2026-05-04T08:00:00.000Z',
}

/** The response when a call was just queued: the example call before it's placed. */
export const exampleContactAdded: ContactAdded = {
  contact: exampleContact,
  call: {
    ...exampleCall,
    status: 'queued',
    outcome: null,
    ended_reason: null,
    attempts: 0,
    next_attempt_at: exampleCall.queued_at,
    answered_at: null,
    ended_at: null,
    duration_seconds: null,
    summary: null,
    transcript: [],
    transcript_text: null,
    sentiment: 'unknown',
    goal_met: null,
    extracted: {},
  },
  contact_created: true,
  call_queued: true,
  warnings: [],
}
