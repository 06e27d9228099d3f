// cspell:ignore ILPZ JTDQ
import {
  exampleAgent,
  exampleCall,
  exampleCallsCanceled,
  exampleCampaign,
  exampleContact,
  exampleDoNotCallEntry,
  exampleDoNotCallNumber,
  examplePhoneNumber,
} from '@outdial/contract'

const onePage = (item: unknown) => ({ results: [item], next: null, previous: null })

const queuedCall = {
  ...exampleCall,
  status: 'queued',
  outcome: null,
  ended_reason: null,
  waiting_for: 'calling_hours',
  next_attempt_at: '2026-05-05T13:00:00.000Z',
  attempts: 0,
  answered_at: null,
  ended_at: null,
  duration_seconds: null,
  summary: null,
  transcript: [],
  transcript_text: null,
  sentiment: 'unknown',
  goal_met: null,
  extracted: {},
}
const added = {
  contact: exampleContact,
  call: queuedCall,
  contact_created: true,
  call_queued: true,
  warnings: [],
}
const subscription = {
  id: 7,
  target_url: 'https://hooks.example.com/outdial',
  event: 'call.completed',
  filter: { campaign_id: 12, agent_id: null, outcome: ['answered', 'voicemail'] },
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  created_at: '2026-05-04T08:00:00.000Z',
}

/** Example request bodies by operation. */
export const bodyExamples: Record<string, unknown> = {
  createCampaign: {
    name: exampleCampaign.name,
    agent_id: exampleCampaign.agent_id,
    phone_number_id: exampleCampaign.phone_number_id,
    calling_hours: { start: '10:00', end: '18:00' },
  },
  addContact: {
    phone_number: '(202) 555-0100',
    country: 'US',
    campaign_id: exampleCampaign.id,
    first_name: exampleContact.first_name,
    email: exampleContact.email,
    variables: exampleContact.variables,
    metadata: exampleCall.metadata,
  },
  cancelCalls: { phone_number: exampleContact.phone_number, campaign_id: exampleCampaign.id },
  addToDoNotCallList: { phone_number: '(202) 555-0100', country: 'US', reason: 'Booked an appointment' },
  subscribeWebhook: {
    target_url: subscription.target_url,
    event: 'call.completed',
    filter: { campaign_id: 12, outcome: ['answered', 'voicemail'] },
  },
}

/** Example responses by operation and status. */
export const responseExamples: Record<string, Record<number, unknown>> = {
  listCampaigns: { 200: onePage(exampleCampaign) },
  createCampaign: { 201: { ...exampleCampaign, warnings: [] } },
  listAgents: { 200: onePage(exampleAgent) },
  listPhoneNumbers: { 200: onePage(examplePhoneNumber) },
  addContact: { 200: { ...added, contact_created: false, call_queued: false }, 201: added },
  listCalls: { 200: onePage(exampleCall) },
  getCall: { 200: exampleCall },
  cancelCalls: { 200: exampleCallsCanceled },
  findDoNotCallNumber: { 200: onePage(exampleDoNotCallNumber) },
  addToDoNotCallList: { 200: exampleDoNotCallEntry },
  subscribeWebhook: { 200: subscription, 201: subscription },
}

export const eventExample = {
  id: 'evt_01JTDQ3V8W9GZ0Y6C2R4K7M5XN',
  type: 'call.completed',
  timestamp: '2026-05-04T13:59:23.000Z',
  workspace_id: 3,
  data: exampleCall,
}
