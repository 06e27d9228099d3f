import { selectAgentsWithCounts } from '../agents/agent-queries.ts'
import type { Deps } from '../../deps.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { noInput, pageRoute } from '../page/page-route.ts'
import type { Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { toolActiveBadge, formatToolKind } from './in-words.ts'

interface ToolItem {
  id: number
  name: string
  description: string
  kind: string
  isActive: boolean
  badge: Badge
  agents: { id: number; name: string }[]
}

const toolListView = template<{ tools: ToolItem[] }>('dashboard/tools/tool-list-page')

export const toolListPage = (deps: Deps) =>
  pageRoute({
    path: '/tools',
    query: noInput,
    show: async ({ workspace }) => {
      const agents = await selectAgentsWithCounts(deps.db, workspace.id)
      const tools = await listTools(deps)(workspace.id)
      return toolListView('Tools', {
        tools: tools.map(({ id, name, description, kind, isActive, agents: ids }) => ({
          ...{ id, name, description, isActive },
          kind: formatToolKind(kind),
          badge: toolActiveBadge(isActive),
          agents: agents.filter((agent) => ids.includes(agent.id)).map(({ id, name }) => ({ id, name })),
        })),
      })
    },
  })
