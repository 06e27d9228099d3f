import { selectAgentsForPeople } from './agent-queries.ts'
import type { Deps } from '../../deps.ts'
import { none, show } from '../page/page-route.ts'
import { agentSign, type Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { languageName } from './languages.ts'

interface AgentRow {
  id: number
  name: string
  sign: Sign
  language: string
  variables: string
  tools: number
  campaigns: number
}

const list = template<{ rows: AgentRow[] }>('dashboard/agents/agent-list-page')

export const listPage = (deps: Deps) =>
  show({
    path: '/agents',
    query: none,
    show: async ({ workspace }) => {
      const agents = await selectAgentsForPeople(deps.db, workspace.id)
      const rows = agents.map(({ id, name, status, language, variables, tools, campaigns }) => ({
        ...{ id, name, tools, campaigns },
        sign: agentSign(status),
        language: languageName(language),
        variables: variables.join(', '),
      }))
      return list('Agents', { rows })
    },
  })
