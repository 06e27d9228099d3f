import {
  AddContact,
  AgentList,
  Call,
  CallList,
  CallQuery,
  Campaign,
  CampaignList,
  ContactAdded,
  CreateCampaign,
  PhoneNumberList,
  SearchQuery,
  SubscribeWebhook,
  WebhookSubscription,
} from '@outdial/contract'
import { listAgents } from '../agents/agents.ts'
import { getCall, listCalls } from '../calls/get-calls.ts'
import { createCampaign, listCampaigns } from '../campaigns/campaigns.ts'
import { addContact } from '../contacts/add-contact.ts'
import { listPhoneNumbers } from '../phone-numbers/phone-numbers.ts'
import { subscribe, unsubscribe } from '../webhooks/subscriptions.ts'
import { defineRoute, type Route, toListResponse } from './define-route.ts'

/** Where version 1 of the public API is mounted. */
export const apiPrefix = '/api/public/v1'

/**
 * Every endpoint of the public API: what it takes, the scopes it needs, what it returns, and what does the
 * work.
 */
export const routes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/campaigns/',
    operationId: 'listCampaigns',
    summary: 'List campaigns',
    tag: 'Campaigns',
    scopes: ['campaigns:read'],
    query: SearchQuery,
    responses: { 200: CampaignList },
    handler: async (deps, request) =>
      toListResponse(await listCampaigns(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'POST',
    path: '/campaigns/',
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    description:
      "What is left out takes its default: Monday to Friday 09:00 to 17:00 in the workspace's time zone, 5 calls at once, 3 attempts an hour apart on no_answer and busy. The agent must be Live and the phone number active.",
    tag: 'Campaigns',
    scopes: ['campaigns:write'],
    body: CreateCampaign,
    responses: { 201: Campaign },
    errors: ['not_found', 'agent_not_live', 'number_not_active'],
    idempotent: true,
    handler: async (tx, { caller, body }) => ({
      status: 201,
      body: await createCampaign(tx, caller, body),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/agents/',
    operationId: 'listAgents',
    summary: 'List Live agents',
    tag: 'Agents',
    scopes: ['agents:read'],
    query: SearchQuery,
    responses: { 200: AgentList },
    handler: async (deps, request) =>
      toListResponse(await listAgents(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'GET',
    path: '/phone-numbers/',
    operationId: 'listPhoneNumbers',
    summary: 'List active phone numbers',
    description: 'The numbers that calls are made from. `search` looks at the label and at the number.',
    tag: 'Phone numbers',
    scopes: ['phone_numbers:read'],
    query: SearchQuery,
    responses: { 200: PhoneNumberList },
    handler: async (deps, request) =>
      toListResponse(await listPhoneNumbers(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'POST',
    path: '/contacts/',
    operationId: 'addContact',
    summary: 'Upsert a contact and queue a call to it',
    description:
      'The contact is known by its phone number: fields that are left out stay as they are, null clears. 201 where a call was queued; 200, with the open call, where one to this contact was waiting in this campaign already.',
    tag: 'Contacts',
    scopes: ['contacts:write'],
    body: AddContact,
    responses: { 200: ContactAdded, 201: ContactAdded },
    errors: ['not_found', 'campaign_archived'],
    idempotent: true,
    handler: async (tx, { caller, body }) => {
      const added = await addContact(tx, caller, body)
      return { status: added.call_queued ? 201 : 200, body: added }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/calls/',
    operationId: 'listCalls',
    summary: 'List calls, newest first',
    tag: 'Calls',
    scopes: ['calls:read'],
    query: CallQuery,
    responses: { 200: CallList },
    handler: async (deps, request) =>
      toListResponse(await listCalls(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'GET',
    path: '/calls/:id/',
    operationId: 'getCall',
    summary: 'Read one call',
    tag: 'Calls',
    scopes: ['calls:read'],
    responses: { 200: Call },
    errors: ['not_found'],
    handler: async (deps, { caller, id }) => ({ status: 200, body: await getCall(deps, caller, id) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks/subscribe',
    operationId: 'subscribeWebhook',
    summary: 'Subscribe to call.completed',
    description:
      'Idempotent: the same target, event and filter of one connection are one subscription. 201 where it was made, 200 with the standing one, enabled again.',
    tag: 'Webhooks',
    scopes: ['webhooks:write', 'calls:read'],
    body: SubscribeWebhook,
    responses: { 200: WebhookSubscription, 201: WebhookSubscription },
    errors: ['not_found'],
    handler: async (deps, { caller, body }) => {
      const { created, subscription } = await subscribe(deps, caller, body)
      return { status: created ? 201 : 200, body: subscription }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/webhooks/:id/',
    operationId: 'unsubscribeWebhook',
    summary: 'Unsubscribe',
    tag: 'Webhooks',
    scopes: ['webhooks:write'],
    responses: { 204: null },
    errors: ['not_found'],
    handler: async (deps, { caller, id }) => {
      await unsubscribe(deps, caller, id)
      return { status: 204 }
    },
  }),
]
