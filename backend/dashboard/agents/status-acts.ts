import { setAgentStatus } from '../../agents/agents.ts'
import { actionRoute, type DashboardRoute, noInput } from '../page/page-route.ts'
import { redirectTo } from '../view.ts'
import { pathTo, type PageContext } from '../visit.ts'

const agentPath = (context: PageContext) => pathTo(context, `/agents/${context.id}`)

const statusAction = (verb: string, status: 'live' | 'paused', message: string): DashboardRoute =>
  actionRoute({
    path: `/agents/:id/${verb}`,
    form: noInput,
    run: async (tx, context) => {
      await setAgentStatus(tx)({ workspaceId: context.workspace.id, agentId: context.id }, status)
      return redirectTo(agentPath(context), message)
    },
    back: agentPath,
  })

/** draft → live ⇄ paused. */
export const agentStatusActions: DashboardRoute[] = [
  statusAction('publish', 'live', 'The agent is live: campaigns and Zaps can use it.'),
  statusAction('pause', 'paused', 'The agent is paused. Its calls wait; those under way go on.'),
  statusAction('resume', 'live', 'The agent is live again: calls that waited for it go out.'),
]
