import { selectAgentsWithCounts } from '../agents/agent-queries.ts'
import type { Deps } from '../../deps.ts'
import { getTool, type ToolDetails } from '../../tools/get-tool.ts'
import { HttpSettings } from '../../tools/kinds/http/settings.ts'
import { RemoteSettings } from '../../tools/custom/tool-settings.ts'
import { noInput, pageRoute } from '../page/page-route.ts'
import type { Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { toolActiveBadge, formatToolKind } from './in-words.ts'

interface ToolData {
  tool: {
    id: number
    name: string
    description: string
    kind: string
    isActive: boolean
    badge: Badge
    /** Where it can be edited, below its own address; null where it comes with Outdial, or cannot be read. */
    edit: 'edit-http' | 'edit-server' | null
    isCustom: boolean
    isServer: boolean
    isReadable: boolean
  }
  facts: { term: string; text: string }[]
  hasSecrets: boolean
  offers: { name: string; description: string; hasEffects: boolean; schema: string }[]
  agents: { id: number; name: string }[]
}

const toolView = template<ToolData>('dashboard/tools/tool-page')

export const toolPage = (deps: Deps) =>
  pageRoute({
    path: '/tools/:id',
    query: noInput,
    show: async ({ workspace, id: toolId }) => {
      const tool = await getTool(deps)({ workspaceId: workspace.id, toolId })
      const agents = await selectAgentsWithCounts(deps.db, workspace.id)
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
          edit: isReadable ? toEditPath(kind) : null,
          isCustom: toEditPath(kind) !== null,
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
        agents: agents.filter(({ id }) => tool.agents.includes(id)).map(({ id, name }) => ({ id, name })),
      })
    },
  })

function toEditPath(kind: ToolDetails['kind']): ToolData['tool']['edit'] {
  if (kind === 'http') return 'edit-http'
  return kind === 'remote_mcp' ? 'edit-server' : null
}

const transports = { auto: 'Found out by itself', streamable: 'Streamable HTTP', sse: 'HTTP with SSE' }

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
      { term: 'Address', text: url },
      { term: 'Transport', text: transports[transport] },
      ...sharedFacts(headers),
    ]
  }
  return []
}
