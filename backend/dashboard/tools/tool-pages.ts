import { formatNames } from '../../core/text.ts'
import { HttpSettings, RemoteSettings } from '../../tools/custom/tool-settings.ts'
import { refreshRemoteServer, type RefreshResult } from '../../tools/save-remote-server.ts'
import { deleteTool, getTool, listTools, setToolActive, type ToolDetails } from '../../tools/tool-catalog.ts'
import { type Badge, formatToolKind, toolActiveBadge } from '../../views/badges.ts'
import { badge } from '../../views/elements.ts'
import { formatPlural } from '../../views/format.ts'
import { button } from '../../views/forms.ts'
import { html } from '../../views/html.ts'
import { selectAgentsWithCounts } from '../agents/agent-queries.ts'
import {
  type Action,
  defineAction,
  definePage,
  defineView,
  noInput,
  redirectTo,
} from '../page/define-page.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { type Toggle, type ToolData, toolView } from './tool-view.ts'

export const toolPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id: toolId } }) => {
    const tool = await getTool(deps, workspace.id, toolId)
    const agents = await selectAgentsWithCounts(deps.db, workspace.id)
    const agentsWithTool = agents.filter(({ id }) => tool.agents.includes(id))
    const { definitions, effects, kind } = tool
    const isReadable = definitions !== 'unreadable'
    return toolView(tool.name, {
      tool: {
        id: toolId,
        name: tool.name,
        description: tool.description,
        kind: formatToolKind(kind),
        isActive: tool.isActive,
        badge: toolActiveBadge(tool.isActive),
        toggle: toToggle(tool),
        deleteDetail: formatDeleteDetail(agentsWithTool.length),
        editPath: isReadable ? toEditPath(tool) : null,
        isCustom: toEditPath(tool) !== null,
        isServer: kind === 'remote_mcp',
        isReadable,
      },
      facts: listFacts(tool),
      hasSecrets: tool.secretNames.length > 0,
      offers: (isReadable ? definitions : []).map(({ name, description, inputSchema }) => ({
        ...{ name, description },
        hasEffects: effects.includes(name),
        schema: JSON.stringify(inputSchema, null, 2),
      })),
      agents: agentsWithTool.map(({ id, name }) => ({ id, name })),
    })
  },
})

const toToggle = ({ id, isActive }: { id: number; isActive: boolean }): Toggle =>
  isActive
    ? { path: `/tools/${id}/switch-off`, label: 'Turn off' }
    : { path: `/tools/${id}/switch-on`, label: 'Turn on' }

function formatDeleteDetail(agentCount: number): string {
  if (agentCount === 0) return "No agents use this tool. You can't undo the deletion."
  const agents = formatPlural(agentCount, 'agent loses', 'agents lose')
  return `${agents} it immediately, even on calls in progress. You can't undo the deletion.`
}

function toEditPath({ id, kind }: Pick<ToolDetails, 'id' | 'kind'>): string | null {
  if (kind === 'http') return `/tools/${id}/edit-http`
  return kind === 'remote_mcp' ? `/tools/${id}/edit-server` : null
}

const transports = { auto: 'Detected automatically', streamable: 'Streamable HTTP', sse: 'HTTP with SSE' }

function listFacts({ kind, settings, secretNames }: ToolDetails): ToolData['facts'] {
  const sharedFacts = (headers: Record<string, string>) => [
    ...Object.entries(headers).map(([name, value]) => ({ term: 'Header', text: `${name}: ${value}` })),
    ...(secretNames.length === 0 ? [] : [{ term: 'Secrets', text: secretNames.join(', ') }]),
  ]
  const http = kind === 'http' ? HttpSettings.safeParse(settings) : undefined
  if (http?.success) {
    return [
      { term: 'Request', text: `${http.data.method} ${http.data.url}` },
      ...sharedFacts(http.data.headers),
    ]
  }
  const server = kind === 'remote_mcp' ? RemoteSettings.safeParse(settings) : undefined
  if (server?.success) {
    const { url, transport, headers } = server.data
    return [
      { term: 'URL', text: url },
      { term: 'Transport', text: transports[transport] },
      ...sharedFacts(headers),
    ]
  }
  return []
}

interface ToolItem {
  id: number
  name: string
  description: string
  kind: string
  badge: Badge
  toggle: Toggle
  agents: { id: number; name: string }[]
}

const toolListView = defineView(
  ({ ui, form }, { tools }: { tools: ToolItem[] }) => html`
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
        ${tools.map(
          (tool) => html`
            <li>
              <div class="tool-about">
                <p class="row">
                  <a href="${ui.to(`/tools/${tool.id}`)}"><strong>${tool.name}</strong></a>
                  ${badge(tool.badge)}
                  <span class="soft small-text">${tool.kind}</span>
                </p>
                <p class="soft small-text">${tool.description}</p>
                <p class="small-text">
                  ${
                    tool.agents.length === 0
                      ? html`<span class="soft">Not assigned to any agent</span>`
                      : tool.agents.map(
                          (agent, index) =>
                            html`${index > 0 && ', '}<a href="${ui.to(`/agents/${agent.id}`)}">${agent.name}</a>`,
                        )
                  }
                </p>
              </div>
              ${button({
                form,
                action: ui.to(tool.toggle.path),
                label: tool.toggle.label,
                title: `${tool.toggle.label} ${tool.name}`,
              })}
            </li>
          `,
        )}
      </ul>
    </section>
  `,
)

export const toolListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) => {
    const agents = await selectAgentsWithCounts(deps.db, workspace.id)
    const tools = await listTools(deps, workspace.id)
    return toolListView('Tools', {
      tools: tools.map(({ id, name, description, kind, isActive, agents: ids }) => ({
        ...{ id, name, description },
        kind: formatToolKind(kind),
        badge: toolActiveBadge(isActive),
        toggle: toToggle({ id, isActive }),
        agents: agents
          .filter((agent) => ids.includes(agent.id))
          .map((agent) => ({ id: agent.id, name: agent.name })),
      })),
    })
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
