import { selectAgentsForPeople } from '../agents/agent-queries.ts'
import type { Deps } from '../../deps.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { none, show } from '../page/page-route.ts'
import type { Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { activeSign, kindInWords } from './in-words.ts'

interface ToolItem {
  id: number
  name: string
  description: string
  kind: string
  isActive: boolean
  sign: Sign
  agents: { id: number; name: string }[]
}

const list = template<{ tools: ToolItem[] }>('dashboard/tools/tool-list-page')

export const listPage = (deps: Deps) =>
  show({
    path: '/tools',
    query: none,
    show: async ({ workspace }) => {
      const agents = await selectAgentsForPeople(deps.db, workspace.id)
      const tools = await listTools(deps)(workspace.id)
      return list('Tools', {
        tools: tools.map(({ id, name, description, kind, isActive, agents: ids }) => ({
          ...{ id, name, description, isActive },
          kind: kindInWords(kind),
          sign: activeSign(isActive),
          agents: agents.filter((agent) => ids.includes(agent.id)).map(({ id, name }) => ({ id, name })),
        })),
      })
    },
  })
