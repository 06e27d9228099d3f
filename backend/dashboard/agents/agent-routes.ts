import type { Deps } from '../../deps.ts'
import { assignTool } from '../../tools/assignments.ts'
import { unassignTool } from '../../tools/unassign.ts'
import { act, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { agentPage } from './agent-pages.ts'
import { assignPage } from './agent-tool-pages.ts'
import { editPage, newPage } from './agent-form-pages.ts'
import { keyOf } from './key-of.ts'
import { listPage } from './list-page.ts'
import { statusActs } from './status-acts.ts'
import { tryPage } from './try-tool-page.ts'

const pageOf = (visit: Visit) => pathTo(visit, `/agents/${visit.id}`)

/** Who talks to the contacts, and with which tools. */
export const agentLines = (deps: Deps): Line[] => [
  listPage(deps),
  newPage(),
  agentPage(deps),
  editPage(deps),
  ...statusActs,
  assignPage(deps),
  act({
    path: '/agents/:id/tools/:other/assign',
    form: none,
    act: async (own, visit) => {
      await assignTool(own)({ ...keyOf(visit), config: {} })
      return done(pageOf(visit), 'The tool is assigned: the agent’s talks have it at once.')
    },
    back: pageOf,
  }),
  act({
    path: '/agents/:id/tools/:other/unassign',
    form: none,
    act: async (own, visit) => {
      await unassignTool(own)(keyOf(visit))
      return done(pageOf(visit), 'The tool is taken away.')
    },
    back: pageOf,
  }),
  tryPage(deps),
]
