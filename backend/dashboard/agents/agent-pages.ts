import type { Call } from '@outdial/contract'
import * as z from 'zod'
import { addTokens } from '../../calling/chats/token-usage.ts'
import type { Deps } from '../../deps.ts'
import { agentBadge } from '../../platform/views/badges.ts'
import { badge } from '../../platform/views/elements.ts'
import { languageName } from '../../platform/views/format.ts'
import { html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { findAgentVersion, publishAgent, setAgentStatus } from '../../queue/agents/agents.ts'
import { findCallPage } from '../../queue/calls/find-calls.ts'
import { toCall } from '../../queue/calls/get-calls.ts'
import { readChatSection } from '../chats/chat-section.ts'
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
import { describeReadied } from '../stories/describe-readied.ts'
import {
  type AgentWithCounts,
  countSubscriptionsOfAgent,
  countWaitingCallsOfAgent,
  getAgent,
  getNewestVersion,
  selectAgentsWithCounts,
  selectCampaignsOfAgent,
} from './agent-queries.ts'
import { listAgentTools } from './agent-tool-pages.ts'
import { type AgentData, agentView } from './agent-view.ts'
import { findChanges } from './version-changes.ts'

const maxShown = 10

export const agentPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id: agentId } }) => {
    const workspaceId = workspace.id
    const agent = await getAgent(deps, workspaceId, agentId)
    const { values: newest } = await findAgentVersion(deps.db, workspaceId, agentId, agent.newest_version)
    const isPublished = agent.version === agent.newest_version
    const unpublished = isPublished ? null : await describeUnpublished(deps, workspaceId, agent, newest)
    const tools = await listAgentTools(deps, workspaceId, agentId)
    const campaigns = await selectCampaignsOfAgent(deps.db, workspaceId, agentId, maxShown + 1)
    return agentView(agent.name, {
      agent,
      newest,
      unpublished,
      resumeDetail:
        agent.status === 'paused' ? await describeReadied(deps, workspace, { agent_id: agentId }) : null,
      waiting: await countWaitingCallsOfAgent(deps.db, workspaceId, agentId),
      tools,
      campaigns: campaigns.slice(0, maxShown),
      hasMoreCampaigns: campaigns.length > maxShown,
      calls: await listLastCalls(deps, workspaceId, agentId),
      chat: await readChatSection(deps, workspaceId, agentId, newest),
    })
  },
})

/** Describes what publishing the newest version changes. */
async function describeUnpublished(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  agent: AgentWithCounts,
  newest: AgentValues,
): Promise<AgentData['unpublished']> {
  const { values: published } = await findAgentVersion(db, workspaceId, agent.id, agent.version)
  const lost = findLostResults(published, newest)
  return {
    changes: findChanges(published, newest),
    lostResults: lost,
    subscriptions: lost.length === 0 ? 0 : await countSubscriptionsOfAgent(db, workspaceId, agent.id),
  }
}

/** Returns the names of published results that the newest version lacks or gives another type. Other systems may use them. */
const findLostResults = (published: AgentValues, newest: AgentValues): string[] =>
  published.results
    .filter(
      ({ name, type }) => !newest.results.some((result) => result.name === name && result.type === type),
    )
    .map(({ name }) => name)

async function listLastCalls(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspaceId: number,
  agentId: number,
): Promise<Call[]> {
  const limits = { limit: maxShown, offset: 0 }
  const rows = await findCallPage(deps.db, workspaceId, { agentId }, limits, deps.clock.now())
  return rows.map((row) => toCall(deps.config, row))
}

const agentListView = defineView(
  ({ ui }, { agents }: { agents: readonly AgentWithCounts[] }) => html`
    <div class="page-head">
      <div>
        <h1>Agents</h1>
        <p class="lead">Voice agents that call your contacts. Only Live agents can be used in campaigns.</p>
      </div>
      <a class="button primary" href="${ui.to('/agents/new')}">New agent</a>
    </div>
    <div class="panel flush">
      ${
        agents.length === 0
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
                  ${agents.map(
                    (agent) => html`
                      <tr>
                        <th scope="row">
                          <a href="${ui.to(`/agents/${agent.id}`)}">${agent.name}</a>
                          ${agent.variables.length > 0 && html`<small>${labels.agent.variables}: ${agent.variables.join(', ')}</small>`}
                        </th>
                        <td>${badge(agentBadge(agent.status))}</td>
                        <td class="wide-only">${languageName(agent.language)}</td>
                        <td class="number">${ui.count(agent.tools)}</td>
                        <td class="number">${ui.count(agent.campaigns)}</td>
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
  show: async (deps, { workspace }) =>
    agentListView('Agents', { agents: await selectAgentsWithCounts(deps.db, workspace.id) }),
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

export const publishAgentAction = defineAction({
  params: IdParams,
  form: z.object({ version: z.coerce.number().int().optional() }),
  // Isn't in a transaction, because it waits for the model. Publishing the same version twice changes nothing.
  isOnce: false,
  run: async (deps, context, { version }) => {
    const { workspace, params } = context
    const { status } = await getAgent(deps, workspace.id, params.id)
    const problem = await findModelProblem(deps, workspace.id, params.id)
    await publishAgent(deps, workspace.id, params.id, version)
    return redirectTo(
      agentPath(context),
      joinSentences(
        status === 'draft'
          ? 'Agent published. Campaigns and Zaps can use it now.'
          : 'Agent published. Calls that start from now on use this version.',
        problem,
      ),
    )
  },
  back: agentPath,
})

/**
 * Asks the agent's model for a word. If it doesn't answer, returns a warning that chats would fail. Otherwise, returns
 * null.
 */
async function findModelProblem(deps: Deps, workspaceId: number, agentId: number): Promise<string | null> {
  const { model } = deps
  if (model === undefined) return null
  const agent = await getNewestVersion(deps, workspaceId, agentId)
  const { problem, usage } = await model.check(agent.model ?? undefined)
  await addTokens(deps, workspaceId, usage)
  return problem && `${problem} Chats with the agent fail until the model answers.`
}

export const pauseAgentAction = setStatusAction(
  'paused',
  'Agent paused. Queued calls wait until you resume the agent, and expire 7 days after they were due. Calls in progress continue.',
)

export const resumeAgentAction = setStatusAction('live', 'Agent resumed.')
