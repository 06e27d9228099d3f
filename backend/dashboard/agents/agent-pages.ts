import { setAgentStatus } from '../../agents/agents.ts'
import { findCallPage } from '../../calls/find-calls.ts'
import { toCall } from '../../calls/get-calls.ts'
import { defaultGreeting, describePlaceholderIssues } from '../../calls/greeting.ts'
import type { Deps } from '../../deps.ts'
import { describeReadied } from '../../support/describe-readied.ts'
import { agentBadge, type Badge, callBadge, campaignBadge } from '../../views/badges.ts'
import { badge } from '../../views/elements.ts'
import { formatContactName } from '../../views/format.ts'
import { languageName } from '../../views/format.ts'
import { html } from '../../views/html.ts'
import { labels } from '../../views/labels.ts'
import {
  type Action,
  defineAction,
  definePage,
  defineView,
  noInput,
  redirectTo,
} from '../page/define-page.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { joinSentences } from '../page/queued-message.ts'
import {
  countWaitingCallsOfAgent,
  getAgent,
  selectAgentsWithCounts,
  selectCampaignsOfAgent,
} from './agent-queries.ts'
import { listAgentTools } from './agent-tool-pages.ts'
import { type AgentData, agentView } from './agent-view.ts'

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
      waiting: await countWaitingCallsOfAgent(deps.db, workspaceId, agentId),
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

const agentListView = defineView(
  ({ ui }, { rows }: { rows: AgentRow[] }) => html`
    <div class="page-head">
      <div>
        <h1>Agents</h1>
        <p class="lead">Voice agents that call your contacts. Only Live agents can be used in campaigns.</p>
      </div>
      <a class="button primary" href="${ui.to('/agents/new')}">New agent</a>
    </div>
    <div class="panel flush">
      ${
        rows.length === 0
          ? html`
            <div class="empty">
              <p><strong>No agents yet.</strong></p>
              <p>Create an agent, publish it, then choose it in a campaign.</p>
              <a class="button quiet" href="${ui.to('/agents/new')}">Create your first agent</a>
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Agents">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Agent</th>
                    <th scope="col">Status</th>
                    <th scope="col" class="wide-only">${labels.agent.language}</th>
                    <th scope="col" class="number">Tools</th>
                    <th scope="col" class="number">Campaigns</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (row) => html`
                      <tr>
                        <th scope="row">
                          <a href="${ui.to(`/agents/${row.id}`)}">${row.name}</a>
                          ${row.variables ? html`<small>${labels.agent.variables}: ${row.variables}</small>` : null}
                        </th>
                        <td>${badge(row.badge)}</td>
                        <td class="wide-only">${row.language}</td>
                        <td class="number">${ui.count(row.tools)}</td>
                        <td class="number">${ui.count(row.campaigns)}</td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          `
      }
    </div>
  `,
)

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
