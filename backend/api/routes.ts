import {
  AddContact,
  AddToDoNotCallList,
  AgentList,
  Call,
  CallList,
  CallQuery,
  CallsCanceled,
  CampaignCreated,
  CampaignList,
  CampaignQuery,
  CancelCalls,
  ContactAdded,
  CreateCampaign,
  DoNotCallEntry,
  DoNotCallNumberList,
  DoNotCallQuery,
  exampleAgent,
  exampleCall,
  exampleCallsCanceled,
  exampleCampaign,
  exampleContact,
  exampleContactAdded,
  exampleDoNotCallEntry,
  exampleDoNotCallNumber,
  examplePhoneNumber,
  exampleSubscription,
  PhoneNumberList,
  SearchQuery,
  SubscribeWebhook,
  WebhookSubscription,
} from '@outdial/contract'
import { toActor } from '../platform/core/actor.ts'
import type { Caller } from '../platform/core/caller.ts'
import { doNotCallPageUrl } from '../platform/core/page-urls.ts'
import { listAgents } from '../queue/agents/agents.ts'
import { cancelCallsToContact } from '../queue/calls/cancel-call.ts'
import { addNumbersToDoNotCallList, listDoNotCallNumbers } from '../queue/calls/do-not-call.ts'
import { getCall, listCalls } from '../queue/calls/get-calls.ts'
import { createCampaign, listCampaigns } from '../queue/campaigns/campaigns.ts'
import { optOutAnyway } from '../queue/contacts/opt-out-anyway.ts'
import { readAddContact } from '../queue/contacts/read-add-contact.ts'
import { listPhoneNumbers } from '../queue/phone-numbers/phone-numbers.ts'
import { subscribe, unsubscribe, waitForAttemptsInProgress } from '../webhooks/subscriptions.ts'
import { requireScopes } from './authenticate-request.ts'
import { defineRoute, type Route, toListResponse } from './define-route.ts'

/** The path of version 1 of the public API. */
export const apiPrefix = '/api/public/v1'

const onePage = <Item>(item: Item) => ({ results: [item], next: null, previous: null })

/** An example response in which the call waits, so that it shows why. */
const contactAdded: ContactAdded = {
  ...exampleContactAdded,
  call: {
    ...exampleContactAdded.call,
    waiting_for: 'calling_hours',
    next_attempt_at: '2026-05-05T13:00:00.000Z',
  },
}

/** The routes of the public API, with their schemas, scopes, and handlers. */
export const routes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/campaigns/',
    operationId: 'listCampaigns',
    summary: 'List campaigns',
    tag: 'Campaigns',
    scopes: ['campaigns:read'],
    query: CampaignQuery,
    responses: { 200: CampaignList },
    examples: { 200: onePage(exampleCampaign) },
    handler: async (deps, request) =>
      toListResponse(await listCampaigns(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'POST',
    path: '/campaigns/',
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    description:
      "Omitted fields use the defaults: the workspace's calling hours and time zone, 5 concurrent calls, and up to 3 attempts per contact. A call is retried after 60 minutes if its outcome is `no_answer` or `busy`. The agent must be Live and the phone number active.",
    tag: 'Campaigns',
    scopes: ['campaigns:write'],
    body: CreateCampaign,
    responses: { 201: CampaignCreated },
    examples: {
      body: {
        name: exampleCampaign.name,
        agent_id: exampleCampaign.agent_id,
        phone_number_id: exampleCampaign.phone_number_id,
        calling_hours: { start: '10:00', end: '18:00' },
      },
      201: { ...exampleCampaign, warnings: [] },
    },
    errors: ['not_found', 'agent_not_live', 'number_not_active'],
    idempotent: true,
    created: ({ id }) => ({ campaign_id: id }),
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
    examples: { 200: onePage(exampleAgent) },
    handler: async (deps, request) =>
      toListResponse(await listAgents(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'GET',
    path: '/phone-numbers/',
    operationId: 'listPhoneNumbers',
    summary: 'List active phone numbers',
    description: 'The phone numbers that calls are placed from. `search` matches the label and the number.',
    tag: 'Phone numbers',
    scopes: ['phone_numbers:read'],
    query: SearchQuery,
    responses: { 200: PhoneNumberList },
    examples: { 200: onePage(examplePhoneNumber) },
    handler: async (deps, request) =>
      toListResponse(await listPhoneNumbers(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'POST',
    path: '/contacts/',
    operationId: 'addContact',
    summary: 'Add or update a contact and queue a call',
    description:
      'The phone number identifies the contact. Omitted fields stay unchanged. To clear a field, send null. Returns 201 if a call was queued. Returns 200 with the existing call if the contact already has a call that is waiting or in progress in this campaign.',
    tag: 'Contacts',
    scopes: ['contacts:write'],
    body: AddContact,
    readBody: readAddContact,
    responses: { 200: ContactAdded, 201: ContactAdded },
    examples: {
      body: {
        phone_number: '(202) 555-0100',
        country: 'US',
        campaign_id: exampleCampaign.id,
        first_name: exampleContact.first_name,
        email: exampleContact.email,
        variables: exampleContact.variables,
        metadata: exampleCall.metadata,
      },
      200: { ...contactAdded, contact_created: false, call_queued: false },
      201: contactAdded,
    },
    errors: ['not_found', 'campaign_archived'],
    idempotent: 'in handler',
    ifRejected: (deps, { caller, body }) => optOutAnyway(deps, caller, body),
    // Omits the callback URL: a repeated request can have another one, which is added to the same call.
    comparedBody: (body) => ({ ...body, callback_url: undefined }),
    created: ({ contact, call }) => ({ contact_id: contact.id, call_id: call.id }),
    handler: ({ addContact }, request) => {
      requireCallbackScopes(request.caller, request.body)
      return addContact(request)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/calls/',
    operationId: 'listCalls',
    summary: 'List calls, newest first',
    tag: 'Calls',
    addition: 'Automation platforms need sample data.',
    scopes: ['calls:read'],
    query: CallQuery,
    responses: { 200: CallList },
    examples: { 200: onePage(exampleCall) },
    handler: async (deps, request) =>
      toListResponse(await listCalls(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'GET',
    path: '/calls/:id/',
    operationId: 'getCall',
    summary: 'Get a call',
    tag: 'Calls',
    addition: 'Automation platforms need sample data.',
    scopes: ['calls:read'],
    responses: { 200: Call },
    examples: { 200: exampleCall },
    errors: ['not_found'],
    handler: async (deps, { caller, id }) => ({ status: 200, body: await getCall(deps, caller, id) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/calls/cancel',
    operationId: 'cancelCalls',
    summary: 'Cancel the waiting calls to a contact',
    description:
      'Completes the queued calls, including retries, with the outcome `canceled`, and sends their events. Calls that are being dialed or are in progress continue. Returns an empty list if no call to the contact is waiting, or if no contact has the phone number.',
    tag: 'Calls',
    addition: "A lead who booked an appointment shouldn't be called anymore.",
    scopes: ['calls:write'],
    body: CancelCalls,
    responses: { 200: CallsCanceled },
    examples: {
      body: { phone_number: exampleContact.phone_number, campaign_id: exampleCampaign.id },
      200: exampleCallsCanceled,
    },
    errors: ['not_found'],
    handler: async (deps, { caller, body }) => ({
      status: 200,
      body: await cancelCallsToContact(deps, caller, body),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/do-not-call/',
    operationId: 'addToDoNotCallList',
    summary: 'Add a number to the do-not-call list',
    description:
      'No campaign calls the number anymore. Completes its queued calls with the outcome `suppressed`, and sends their events. A call that is being dialed or is in progress continues. A number that is already on the list keeps its first reason. Only members can remove a number, in the dashboard.',
    tag: 'Do-not-call list',
    addition: 'A lead who opted out in another app must not be called anymore.',
    scopes: ['calls:write'],
    body: AddToDoNotCallList,
    responses: { 200: DoNotCallEntry },
    examples: {
      body: { phone_number: '(202) 555-0100', country: 'US', reason: 'Booked an appointment' },
      200: exampleDoNotCallEntry,
    },
    ifRejected: (deps, { caller, body }) =>
      optOutAnyway(deps, caller, { ...(body as object), do_not_call: true }),
    handler: async (deps, { caller, body }) => {
      const { phone_number: phoneNumber, country, reason = null } = body
      const written = { phoneNumber, country }
      const added = await addNumbersToDoNotCallList(deps, caller.workspaceId, written, {
        source: 'api',
        reason,
        addedBy: toActor(caller),
      })
      const [first] = added
      const url = doNotCallPageUrl(deps.config, caller.workspaceId, first)
      return {
        status: 200,
        body: { phone_number: first, phone_numbers: added, do_not_call: true as const, url },
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/do-not-call/',
    operationId: 'findDoNotCallNumber',
    summary: 'Check a number on the do-not-call list',
    description:
      'Returns the number if it is on the list, otherwise an empty list. The list stores only hashes, so its numbers can be checked, but not listed.',
    tag: 'Do-not-call list',
    addition: 'An automation may have to know this before it queues a call.',
    scopes: ['calls:read'],
    query: DoNotCallQuery,
    responses: { 200: DoNotCallNumberList },
    examples: { 200: onePage(exampleDoNotCallNumber) },
    handler: async (deps, request) =>
      toListResponse(await listDoNotCallNumbers(deps, request.caller, request.query), request),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks/subscribe',
    operationId: 'subscribeWebhook',
    summary: 'Subscribe to call.completed',
    description:
      'This request is idempotent. Requests with the same target URL, event, and filter return the same subscription. With an API key, the same URL can have several subscriptions with different filters. A connected app has one subscription for each URL, and a request with another filter replaces its filter. Returns 201 for a new subscription, and 200 for an existing one. If the existing one was disabled, it is enabled again.',
    tag: 'Webhooks',
    scopes: ['webhooks:write', 'calls:read'],
    body: SubscribeWebhook,
    responses: { 200: WebhookSubscription, 201: WebhookSubscription },
    examples: {
      body: {
        target_url: exampleSubscription.target_url,
        event: 'call.completed',
        filter: { campaign_id: 12, outcome: ['answered', 'voicemail'] },
      },
      200: exampleSubscription,
      201: exampleSubscription,
    },
    errors: ['not_found'],
    created: ({ id }) => ({ subscription_id: id }),
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
    examples: {},
    errors: ['not_found'],
    handler: async (deps, { caller, id }) => {
      await unsubscribe(deps, caller, id)
      await waitForAttemptsInProgress(deps, caller.workspaceId, id)
      return { status: 204 }
    },
  }),
]

/** Requires the scopes for a callback URL. Its event contains what `GET /calls/` returns, and is sent like a subscription's. */
function requireCallbackScopes(caller: Caller, { callback_url }: AddContact): void {
  if (callback_url) requireScopes(caller, ['calls:read', 'webhooks:write'])
}
