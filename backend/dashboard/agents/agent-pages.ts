import { getAgent } from '../../agents/get.ts'
import { countWaitingCalls, selectCampaignsOfAgent } from './agent-queries.ts'
import { toCall } from '../../calls/get-calls.ts'
import { findCallPage } from '../../calls/find-calls.ts'
import type { Deps } from '../../deps.ts'
import { formatContactName } from '../contact-name.ts'
import { noInput, pageRoute } from '../page/page-route.ts'
import { agentBadge, callBadge, campaignBadge, type Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { languageName } from './languages.ts'
import { type AgentTool, listAgentTools } from './tools-of.ts'

interface AgentData {
  agent: {
    id: number
    name: string
    status: 'draft' | 'live' | 'paused'
    badge: Badge
    language: string
    greeting: string
    variables: string
    widgetId: string
    createdAt: Date
  }
  waiting: number
  assignedTools: AgentTool[]
  otherTools: AgentTool[]
  campaigns: { id: number; name: string; badge: Badge }[]
  hasMoreCampaigns: boolean
  calls: { id: number; contact: string; campaign: string; badge: Badge; queuedAt: string }[]
}

const agentView = template<AgentData>('dashboard/agents/agent-page')
const maxShown = 10

export const agentPage = (deps: Deps) =>
  pageRoute({
    path: '/agents/:id',
    query: noInput,
    show: async ({ workspace, id: agentId }) => {
      const workspaceId = workspace.id
      const agent = await getAgent(deps)({ workspaceId, agentId })
      const tools = await listAgentTools(deps)(workspaceId, agentId)
      const campaigns = await selectCampaignsOfAgent(deps.db, workspaceId, agentId, maxShown + 1)
      return agentView(agent.name, {
        agent: {
          id: agent.id,
          name: agent.name,
          status: agent.status,
          badge: agentBadge(agent.status),
          language: languageName(agent.language),
          greeting: agent.greeting,
          variables: agent.variables.join(', '),
          widgetId: agent.widget_id,
          createdAt: agent.created_at,
        },
        waiting: await countWaitingCalls(deps.db, workspaceId, agentId),
        assignedTools: tools.filter(({ isAssigned }) => isAssigned),
        otherTools: tools.filter(({ isAssigned }) => !isAssigned),
        campaigns: campaigns
          .slice(0, maxShown)
          .map(({ id, name, status }) => ({ id, name, badge: campaignBadge(status) })),
        hasMoreCampaigns: campaigns.length > maxShown,
        calls: await listLastCalls(deps, workspaceId, agentId),
      })
    },
  })

async function listLastCalls(deps: Deps, workspaceId: number, agentId: number): Promise<AgentData['calls']> {
  const limits = { limit: maxShown, offset: 0 }
  const rows = await findCallPage(deps.db, workspaceId, { agentId }, limits, deps.clock.now())
  return rows.map(toCall).map((call) => ({
    id: call.id,
    contact: formatContactName(call.contact, call.contact.phone_number),
    campaign: call.campaign_name,
    badge: callBadge(call),
    queuedAt: call.queued_at,
  }))
}
