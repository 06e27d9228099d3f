import type { Deps } from '../../deps.ts'
import { assignTool } from '../../tools/assignments.ts'
import { unassignTool } from '../../tools/unassign.ts'
import { actionRoute, type DashboardRoute, noInput } from '../page/page-route.ts'
import { redirectTo } from '../view.ts'
import { pathTo, type PageContext } from '../visit.ts'
import { agentPage } from './agent-pages.ts'
import { assignToolPage } from './agent-tool-pages.ts'
import { editAgentPage, newAgentPage } from './agent-form-pages.ts'
import { parseAgentToolParams } from './key-of.ts'
import { agentListPage } from './list-page.ts'
import { agentStatusActions } from './status-acts.ts'
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
      await assignTool(tx)({ ...parseAgentToolParams(context), config: {} })
      return redirectTo(agentPath(context), 'The tool is assigned: the agent’s talks have it at once.')
    },
    back: agentPath,
  }),
  actionRoute({
    path: '/agents/:id/tools/:other/unassign',
    form: noInput,
    run: async (tx, context) => {
      await unassignTool(tx)(parseAgentToolParams(context))
      return redirectTo(agentPath(context), 'The tool is taken away.')
    },
    back: agentPath,
  }),
  tryToolPage(deps),
]
