import { setAgentStatus } from '../../agents/agents.ts'
import { act, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'

const pageOf = (visit: Visit) => pathTo(visit, `/agents/${visit.id}`)

const line = (verb: string, status: 'live' | 'paused', message: string): Line =>
  act({
    path: `/agents/:id/${verb}`,
    form: none,
    act: async (own, visit) => {
      await setAgentStatus(own)({ workspaceId: visit.workspace.id, agentId: visit.id }, status)
      return done(pageOf(visit), message)
    },
    back: pageOf,
  })

/** draft → live ⇄ paused. */
export const statusActs: Line[] = [
  line('publish', 'live', 'The agent is live: campaigns and Zaps can use it.'),
  line('pause', 'paused', 'The agent is paused. Its calls wait; those under way go on.'),
  line('resume', 'live', 'The agent is live again: calls that waited for it go out.'),
]
