import { setAgentStatus } from '../../agents/agents.ts'
import { findCallPage } from '../../calls/find-calls.ts'
import { toCall } from '../../calls/get-calls.ts'
import { defaultGreeting, describePlaceholderIssues } from '../../calls/greeting.ts'
import type { Deps } from '../../deps.ts'
import { describeReadied } from '../../support/describe-readied.ts'
import { agentBadge, type Badge, callBadge, campaignBadge } from '../../views/badges.ts'
import { formatContactName } from '../../views/format.ts'
import { languageName } from '../../views/format.ts'
import { type Action, defineAction, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { joinSentences } from '../page/queued-message.ts'
import {
  countWaitingCalls,
  getAgent,
  selectAgentsWithCounts,
  selectCampaignsOfAgent,
} from './agent-queries.ts'
import { type AgentTool, listAgentTools } from './agent-tool-pages.ts'

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
  /** What's wrong with the placeholders of the greeting. */
  greetingIssue: string | null
  defaultGreeting: string
  /** Which calls resuming starts; null if none wait, or if the agent isn't paused. */
  resumeDetail: string | null
  waiting: number
  assignedTools: AgentTool[]
  otherTools: AgentTool[]
  campaigns: { id: number; name: string; badge: Badge }[]
  hasMoreCampaigns: boolean
  calls: { id: number; contact: string; campaign: string; badge: Badge; queuedAt: string }[]
}

const agentView = template<AgentData>('dashboard/agents/agent-page')
const maxShown = 10

export const agentPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id: agentId } }) => {
    const workspaceId = workspace.id
    const agent = await getAgent(deps, workspaceId, agentId)
    const tools = await listAgentTools(deps, workspaceId, agentId)
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
      greetingIssue: describePlaceholderIssues(agent.greeting, agent.variables),
      defaultGreeting,
      resumeDetail:
        agent.status === 'paused' ? await describeReadied(deps, workspace, { agent_id: agentId }) : null,
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

async function listLastCalls(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspaceId: number,
  agentId: number,
): Promise<AgentData['calls']> {
  const limits = { limit: maxShown, offset: 0 }
  const rows = await findCallPage(deps.db, workspaceId, { agentId }, limits, deps.clock.now())
  const calls = rows.map((row) => toCall(deps.config, row))
  return calls.map((call) => ({
    id: call.id,
    contact: formatContactName(call.contact, call.contact.phone_number),
    campaign: call.campaign_name,
    badge: callBadge(call),
    queuedAt: call.queued_at,
  }))
}

interface AgentRow {
  id: number
  name: string
  badge: Badge
  language: string
  variables: string
  tools: number
  campaigns: number
}

const agentListView = template<{ rows: AgentRow[] }>('dashboard/agents/agent-list-page')

export const agentListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) => {
    const agents = await selectAgentsWithCounts(deps.db, workspace.id)
    const rows = agents.map(({ id, name, status, language, variables, tools, campaigns }) => ({
      ...{ id, name, tools, campaigns },
      badge: agentBadge(status),
      language: languageName(language),
      variables: variables.join(', '),
    }))
    return agentListView('Agents', { rows })
  },
})

const agentPath = (context: IdPathContext) => pathTo(context, `/agents/${context.params.id}`)

const setStatusAction = (status: 'live' | 'paused', message: string): Action =>
  defineAction({
    params: IdParams,
    form: noInput,
    run: async (tx, context) => {
      const { workspace, params } = context
      await setAgentStatus(tx, workspace.id, params.id, status)
      const calls = status === 'live' ? await describeReadied(tx, workspace, { agent_id: params.id }) : null
      return redirectTo(agentPath(context), joinSentences(message, calls))
    },
    back: agentPath,
  })

// draft → live ⇄ paused
export const publishAgentAction = setStatusAction(
  'live',
  'Agent published. Campaigns and Zaps can use it now.',
)
export const pauseAgentAction = setStatusAction(
  'paused',
  'Agent paused. Queued calls wait until you resume the agent, and expire 7 days after they were due. Calls in progress continue.',
)
export const resumeAgentAction = setStatusAction('live', 'Agent resumed.')
