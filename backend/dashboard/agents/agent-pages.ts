import { getAgent } from '../../agents/get.ts'
import { countWaiting, selectCampaignsOf } from './agent-queries.ts'
import { toCall } from '../../calls/get-calls.ts'
import { findCallPage } from '../../calls/find-calls.ts'
import type { Deps } from '../../deps.ts'
import { contactName } from '../contact-name.ts'
import { none, show } from '../page/page-route.ts'
import { agentSign, callSign, campaignSign, type Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { languageName } from './languages.ts'
import { type AgentTool, toolsOf } from './tools-of.ts'

interface AgentData {
  agent: {
    id: number
    name: string
    status: 'draft' | 'live' | 'paused'
    sign: Sign
    language: string
    greeting: string
    variables: string
    widgetId: string
    createdAt: Date
  }
  waiting: number
  has: AgentTool[]
  lacks: AgentTool[]
  campaigns: { id: number; name: string; sign: Sign }[]
  hasMoreCampaigns: boolean
  calls: { id: number; contact: string; campaign: string; sign: Sign; queuedAt: string }[]
}

const page = template<AgentData>('dashboard/agents/agent-page')
const shown = 10

export const agentPage = (deps: Deps) =>
  show({
    path: '/agents/:id',
    query: none,
    show: async ({ workspace, id: agentId }) => {
      const workspaceId = workspace.id
      const agent = await getAgent(deps)({ workspaceId, agentId })
      const tools = await toolsOf(deps)(workspaceId, agentId)
      const campaigns = await selectCampaignsOf(deps.db, workspaceId, agentId, shown + 1)
      return page(agent.name, {
        agent: {
          id: agent.id,
          name: agent.name,
          status: agent.status,
          sign: agentSign(agent.status),
          language: languageName(agent.language),
          greeting: agent.greeting,
          variables: agent.variables.join(', '),
          widgetId: agent.widget_id,
          createdAt: agent.created_at,
        },
        waiting: await countWaiting(deps.db, workspaceId, agentId),
        has: tools.filter(({ isAssigned }) => isAssigned),
        lacks: tools.filter(({ isAssigned }) => !isAssigned),
        campaigns: campaigns
          .slice(0, shown)
          .map(({ id, name, status }) => ({ id, name, sign: campaignSign(status) })),
        hasMoreCampaigns: campaigns.length > shown,
        calls: await lastCalls(deps, workspaceId, agentId),
      })
    },
  })

async function lastCalls(deps: Deps, workspaceId: number, agentId: number): Promise<AgentData['calls']> {
  const limits = { limit: shown, offset: 0 }
  const rows = await findCallPage(deps.db, workspaceId, { agentId }, limits, deps.clock.now())
  return rows.map(toCall).map((call) => ({
    id: call.id,
    contact: contactName(call.contact, call.contact.phone_number),
    campaign: call.campaign_name,
    sign: callSign(call),
    queuedAt: call.queued_at,
  }))
}
