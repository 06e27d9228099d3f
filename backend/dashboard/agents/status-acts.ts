import { setAgentStatus } from '../../agents/agents.ts'
import { act, type Line, noInput } from '../page/page-route.ts'
import { redirectTo } from '../view.ts'
import { pathTo, type PageContext } from '../visit.ts'

const agentPath = (context: PageContext) => pathTo(context, `/agents/${context.id}`)

const line = (verb: string, status: 'live' | 'paused', message: string): Line =>
  act({
    path: `/agents/:id/${verb}`,
    form: noInput,
    run: async (tx, context) => {
      await setAgentStatus(tx)({ workspaceId: context.workspace.id, agentId: context.id }, status)
      return redirectTo(agentPath(context), message)
    },
    back: agentPath,
  })

/** draft → live ⇄ paused. */
export const statusActs: Line[] = [
  line('publish', 'live', 'The agent is live: campaigns and Zaps can use it.'),
  line('pause', 'paused', 'The agent is paused. Its calls wait; those under way go on.'),
  line('resume', 'live', 'The agent is live again: calls that waited for it go out.'),
]
