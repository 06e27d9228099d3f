import { formatNames } from '../../platform/core/text.ts'
import { formatToolKind, toolActiveBadge } from '../../platform/views/badges.ts'
import { badge } from '../../platform/views/elements.ts'
import { html } from '../../platform/views/html.ts'
import { refreshRemoteServer, type RefreshResult } from '../../tools/save-remote-server.ts'
import { deleteTool, getTool, listTools, setToolActive } from '../../tools/tool-catalog.ts'
import { type AgentWithCounts, selectAgentsWithCounts } from '../agents/agent-queries.ts'
import {
  type Action,
  defineAction,
  definePage,
  defineView,
  noInput,
  redirectTo,
} from '../page/define-page.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { toggleButton, toggleLabel } from './tool-toggle.ts'
import { toolView } from './tool-view.ts'

export const toolPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id: toolId } }) => {
    const tool = await getTool(deps, workspace.id, toolId)
    const agents = await selectAgentsWithCounts(deps.db, workspace.id)
    const agentsWithTool = agents.filter(({ id }) => tool.agents.includes(id))
    return toolView(tool.name, { tool, agents: agentsWithTool })
  },
})

type ListedTool = Awaited<ReturnType<typeof listTools>>[number]

interface ToolListData {
  tools: readonly ListedTool[]
  agents: readonly AgentWithCounts[]
}

const toolListView = defineView(
  ({ ui, form }, { tools, agents }: ToolListData) => html`
    <div class="page-head">
      <div>
        <h1>Tools</h1>
        <p class="lead">What agents can look up or do during a call. The descriptions address the agent. Assign tools to an agent on the agent's page.</p>
      </div>
      <div class="page-head-actions">
        <a class="button primary" href="${ui.to('/tools/new-http')}">Add HTTP tool</a>
        <a class="button quiet" href="${ui.to('/tools/new-server')}">Add MCP server</a>
      </div>
    </div>
    <section class="panel flush" aria-label="Tools of the workspace">
      <ul class="tool-list">
        ${tools.map((tool) => {
          const agentsWithTool = agents.filter(({ id }) => tool.agents.includes(id))
          return html`
            <li>
              <div class="tool-about">
                <p class="row">
                  <a href="${ui.to(`/tools/${tool.id}`)}"><strong>${tool.name}</strong></a>
                  ${badge(toolActiveBadge(tool.isActive))}
                  <span class="soft small-text">${formatToolKind(tool.kind)}</span>
                </p>
                <p class="soft small-text">${tool.description}</p>
                <p class="small-text">
                  ${
                    agentsWithTool.length === 0
                      ? html`<span class="soft">Not assigned to any agent</span>`
                      : agentsWithTool.map(
                          (agent, index) =>
                            html`${index > 0 && ', '}<a href="${ui.to(`/agents/${agent.id}`)}">${agent.name}</a>`,
                        )
                  }
                </p>
              </div>
              ${toggleButton({ ui, form }, tool, `${toggleLabel(tool)} ${tool.name}`)}
            </li>
          `
        })}
      </ul>
    </section>
  `,
)

export const toolListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) => {
    const agents = await selectAgentsWithCounts(deps.db, workspace.id)
    return toolListView('Tools', { tools: await listTools(deps, workspace.id), agents })
  },
})

const toolPath = (context: IdPathContext) => pathTo(context, `/tools/${context.params.id}`)

const setActiveAction = (isActive: boolean, message: string): Action =>
  defineAction({
    params: IdParams,
    form: noInput,
    run: async (tx, context) => {
      await setToolActive(tx, context.workspace.id, context.params.id, isActive)
      const undo = isActive ? undefined : `${toolPath(context)}/switch-on`
      return { ...redirectTo(toolPath(context), message), ...(undo !== undefined && { undo }) }
    },
    back: toolPath,
  })

export const switchOnToolAction = setActiveAction(
  true,
  'Tool turned on. Agents with this tool can use it now.',
)

export const switchOffToolAction = setActiveAction(
  false,
  'Tool turned off for all agents. It stays assigned to them and keeps its configuration.',
)

export const deleteToolAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await deleteTool(tx, context.workspace.id, context.params.id)
    return redirectTo(pathTo(context, '/tools'), 'Tool deleted. Past calls still show what it did.')
  },
  back: toolPath,
})

export const refreshServerAction = defineAction({
  params: IdParams,
  form: noInput,
  isOnce: false,
  run: async (deps, context) => {
    const refreshed = await refreshRemoteServer(deps, context.workspace.id, context.params.id)
    return redirectTo(toolPath(context), formatRefreshed(refreshed))
  },
  back: toolPath,
})

function formatRefreshed({ tools, dropped, others }: RefreshResult): string {
  const selected = tools.length === 1 ? '1 tool selected' : `${tools.length} tools selected`
  const gone = dropped.length === 0 ? '' : ` No longer available: ${formatNames(dropped, 3)}.`
  const more = others.length === 0 ? '' : ` Not selected: ${formatNames(others, 3)}.`
  return `Tools refreshed: ${selected}.${gone}${more}`
}
