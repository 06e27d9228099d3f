import type { Route } from '../../api/define-route.ts'
import type { SeededObjects } from './seed-everything.ts'

/** The values of one request: the path's ID, and the fields of the query and the body. */
export interface RouteInput {
  id?: string | number
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

/** A valid request for each route, with a value for each of its ID fields. */
export const apiRequests: Record<string, (of: SeededObjects) => RouteInput> = {
  listCampaigns: () => ({}),
  createCampaign: (of) => ({ body: { name: of.mark, agent_id: of.agent, phone_number_id: of.number } }),
  listAgents: () => ({}),
  listPhoneNumbers: () => ({}),
  addContact: (of) => ({ body: { phone_number: '+12025550100', campaign_id: of.campaign } }),
  listCalls: (of) => ({ query: { campaign_id: of.campaign, agent_id: of.agent, contact_id: of.contact } }),
  getCall: (of) => ({ id: of.call }),
  cancelCalls: (of) => ({ body: { contact_id: of.contact, campaign_id: of.campaign } }),
  addToDoNotCallList: (of) => ({ body: { phone_number: '+12025550100', reason: of.mark } }),
  findDoNotCallNumber: () => ({ query: { phone_number: '+12025550100' } }),
  subscribeWebhook: (of) => ({
    body: {
      target_url: `https://hooks.example.com/${of.mark.toLowerCase()}`,
      event: 'call.completed',
      filter: { campaign_id: of.campaign, agent_id: of.agent },
    },
  }),
  unsubscribeWebhook: (of) => ({ id: of.subscription }),
}

/** Returns a valid request for a route. Throws if `apiRequests` has no request for the route, so that a test fails. */
export function inputFor({ operationId }: Route, of: SeededObjects): RouteInput {
  const create = apiRequests[operationId]
  if (create === undefined) throw new Error(`apiRequests has no request for ${operationId}`)
  return create(of)
}
