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
  type ListQuery,
  PhoneNumberList,
  SearchQuery,
  SubscribeWebhook,
  WebhookSubscription,
} from '@outdial/contract'
import { listAgents } from '../agents/agents.ts'
import { getCall, listCalls } from '../calls/get-calls.ts'
import { createCampaign, listCampaigns } from '../campaigns/campaigns.ts'
import { addContact } from '../contacts/add-contact.ts'
import type { Page } from '../core/pagination.ts'
import type { Deps } from '../deps.ts'
import { listPhoneNumbers } from '../phone-numbers/phone-numbers.ts'
import { subscribe, unsubscribe } from '../webhooks/subscriptions.ts'
import {
  defineRoute,
  NoBody,
  NoQuery,
  type Route,
  type RouteResponse,
  toListResponse,
} from './define-route.ts'
import { respondToPostOnce } from './idempotency.ts'

/** Where version 1 of the public API is mounted. */
export const apiPrefix = '/api/public/v1'

/** Every address of the public API: what it takes, who may, what it answers, and who does the work. */
export const createRoutes = (deps: Deps): Route[] => {
  const listResponse = (path: string, page: Page<unknown>, query: ListQuery): RouteResponse => ({
    status: 200,
    body: toListResponse(page, `${deps.config.publicUrl}${apiPrefix}${path}`, query),
  })

  return [
    defineRoute({
      method: 'GET',
      path: '/campaigns/',
      operationId: 'listCampaigns',
      summary: 'List campaigns',
      tag: 'Campaigns',
      scopes: ['campaigns:read'],
      query: SearchQuery,
      body: NoBody,
      responses: { 200: CampaignList },
      handler: async ({ caller, query }) =>
        listResponse('/campaigns/', await listCampaigns(deps, caller, query), query),
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
      query: NoQuery,
      body: CreateCampaign,
      responses: { 201: Campaign },
      errors: ['not_found', 'agent_not_live', 'number_not_active'],
      idempotent: true,
      handler: (request) =>
        respondToPostOnce(deps, '/campaigns', request, async (deps) => ({
          status: 201,
          body: await createCampaign(deps, request.caller, request.body),
        })),
    }),
    defineRoute({
      method: 'GET',
      path: '/agents/',
      operationId: 'listAgents',
      summary: 'List Live agents',
      tag: 'Agents',
      scopes: ['agents:read'],
      query: SearchQuery,
      body: NoBody,
      responses: { 200: AgentList },
      handler: async ({ caller, query }) =>
        listResponse('/agents/', await listAgents(deps, caller, query), query),
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
      body: NoBody,
      responses: { 200: PhoneNumberList },
      handler: async ({ caller, query }) =>
        listResponse('/phone-numbers/', await listPhoneNumbers(deps, caller, query), query),
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
      query: NoQuery,
      body: AddContact,
      responses: { 200: ContactAdded, 201: ContactAdded },
      errors: ['not_found', 'campaign_archived'],
      idempotent: true,
      handler: (request) =>
        respondToPostOnce(deps, '/contacts', request, async (deps) => {
          const added = await addContact(deps, request.caller, request.body)
          return { status: added.call_queued ? 201 : 200, body: added }
        }),
    }),
    defineRoute({
      method: 'GET',
      path: '/calls/',
      operationId: 'listCalls',
      summary: 'List calls, newest first',
      tag: 'Calls',
      scopes: ['calls:read'],
      query: CallQuery,
      body: NoBody,
      responses: { 200: CallList },
      handler: async ({ caller, query }) =>
        listResponse('/calls/', await listCalls(deps, caller, query), query),
    }),
    defineRoute({
      method: 'GET',
      path: '/calls/:id/',
      operationId: 'getCall',
      summary: 'Read one call',
      tag: 'Calls',
      scopes: ['calls:read'],
      query: NoQuery,
      body: NoBody,
      responses: { 200: Call },
      errors: ['not_found'],
      handler: async ({ caller, id }) => ({ status: 200, body: await getCall(deps, caller, id) }),
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
      query: NoQuery,
      body: SubscribeWebhook,
      responses: { 200: WebhookSubscription, 201: WebhookSubscription },
      errors: ['not_found'],
      handler: async ({ caller, body }) => {
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
      query: NoQuery,
      body: NoBody,
      responses: { 204: null },
      errors: ['not_found'],
      handler: async ({ caller, id }) => {
        await unsubscribe(deps, caller, id)
        return { status: 204 }
      },
    }),
  ]
}
