import type { Deps } from '../../deps.ts'
import { assignTool, unassignTool } from '../../tools/assignments.ts'
import { type PageContext, pathTo } from '../page/page-context.ts'
import { actionRoute, type DashboardRoute, noInput, redirectTo } from '../page/page-route.ts'
import { editAgentPage, newAgentPage } from './agent-form-pages.ts'
import { agentListPage, agentPage, agentStatusActions } from './agent-pages.ts'
import { assignToolPage, parseAgentToolParams } from './agent-tool-pages.ts'
import { tryToolPage } from './try-tool-page.ts'

const agentPath = (context: PageContext) => pathTo(context, `/agents/${context.id}`)

/** Who talks to the contacts, and with which tools. */
export const agentRoutes = (deps: Deps): DashboardRoute[] => [
  agentListPage(deps),
  newAgentPage(),
  agentPage(deps),
  editAgentPage(deps),
  ...agentStatusActions,
  assignToolPage(deps),
  actionRoute({
    path: '/agents/:id/tools/:other/assign',
    form: noInput,
    run: async (tx, context) => {
      await assignTool(tx, { ...parseAgentToolParams(context), config: {} })
      return redirectTo(agentPath(context), 'The tool is assigned: the agent’s talks have it at once.')
    },
    back: agentPath,
  }),
  actionRoute({
    path: '/agents/:id/tools/:other/unassign',
    form: noInput,
    run: async (tx, context) => {
      await unassignTool(tx, parseAgentToolParams(context))
      return redirectTo(agentPath(context), 'The tool is taken away.')
    },
    back: agentPath,
  }),
  tryToolPage(deps),
]
