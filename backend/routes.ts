import { AgentList, CampaignList, PhoneNumberList, SearchQuery } from '@outdial/contract'
import { listAgents } from './agents/list.ts'
import { listCampaigns } from './campaigns/list.ts'
import type { Deps } from './deps.ts'
import { envelope } from './http/links.ts'
import { NoBody, type Route, route } from './http/route.ts'
import { listPhoneNumbers } from './phone-numbers/list.ts'

/** Where version 1 of the public API is mounted. */
export const apiPrefix = '/api/public/v1'

/** Every address of the public API: what it takes, who may, what it answers, and who does the work. */
export const createRoutes = (deps: Deps): Route[] => {
  const base = `${deps.config.publicUrl}${apiPrefix}`
  return [
    route({
      method: 'GET',
      path: '/campaigns/',
      operationId: 'listCampaigns',
      summary: 'List campaigns',
      tag: 'Campaigns',
      scopes: ['campaigns:read'],
      query: SearchQuery,
      body: NoBody,
      answers: { 200: CampaignList },
      handler: async ({ caller, query }) => ({
        status: 200,
        body: envelope(await listCampaigns(deps)(caller, query), `${base}/campaigns/`, query),
      }),
    }),
    route({
      method: 'GET',
      path: '/agents/',
      operationId: 'listAgents',
      summary: 'List Live agents',
      tag: 'Agents',
      scopes: ['agents:read'],
      query: SearchQuery,
      body: NoBody,
      answers: { 200: AgentList },
      handler: async ({ caller, query }) => ({
        status: 200,
        body: envelope(await listAgents(deps)(caller, query), `${base}/agents/`, query),
      }),
    }),
    route({
      method: 'GET',
      path: '/phone-numbers/',
      operationId: 'listPhoneNumbers',
      summary: 'List active phone numbers',
      tag: 'Phone numbers',
      scopes: ['phone_numbers:read'],
      query: SearchQuery,
      body: NoBody,
      answers: { 200: PhoneNumberList },
      handler: async ({ caller, query }) => ({
        status: 200,
        body: envelope(await listPhoneNumbers(deps)(caller, query), `${base}/phone-numbers/`, query),
      }),
    }),
  ]
}
