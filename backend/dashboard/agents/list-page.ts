import { selectAgentsWithCounts } from './agent-queries.ts'
import type { Deps } from '../../deps.ts'
import { noInput, pageRoute } from '../page/page-route.ts'
import { agentBadge, type Badge } from '../page/badges.ts'
import { template } from '../view.ts'
import { languageName } from './languages.ts'

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

export const agentListPage = (deps: Deps) =>
  pageRoute({
    path: '/agents',
    query: noInput,
    show: async ({ workspace }) => {
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
