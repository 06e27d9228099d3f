import type { Deps } from '../../deps.ts'
import { nameSome } from '../../name-some.ts'
import { deleteTool } from '../../tools/delete-tool.ts'
import { type Refreshed, refreshRemoteServer } from '../../tools/general/refresh-remote-server.ts'
import { setToolActive } from '../../tools/set-active.ts'
import { act, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'

const pageOf = (visit: Visit) => pathTo(visit, `/tools/${visit.id}`)
const keyOf = (visit: Visit) => ({ workspaceId: visit.workspace.id, toolId: visit.id })

const switchLine = (verb: string, isActive: boolean, message: string): Line =>
  act({
    path: `/tools/:id/${verb}`,
    form: none,
    act: async (own, visit) => {
      await setToolActive(own)(keyOf(visit), isActive)
      return done(pageOf(visit), message)
    },
    back: pageOf,
  })

export const toolActs = (deps: Deps): Line[] => [
  switchLine('switch-on', true, 'The tool is on: agents that have it can use it.'),
  switchLine(
    'switch-off',
    false,
    'The tool is off for all agents. They keep it, and what was configured for them.',
  ),
  act({
    path: '/tools/:id/delete',
    form: none,
    act: async (own, visit) => {
      await deleteTool(own)(keyOf(visit))
      return done(pathTo(visit, '/tools'), 'The tool is deleted. What it did stays in the records of calls.')
    },
    back: pageOf,
  }),
  act({
    path: '/tools/:id/refresh',
    form: none,
    isOnce: false,
    act: async (_, visit) => {
      const refreshed = await refreshRemoteServer(deps)(visit.workspace.id, visit.id)
      return done(pageOf(visit), inWords(refreshed))
    },
    back: pageOf,
  }),
]

function inWords({ tools, dropped, others }: Refreshed): string {
  const passedOn = tools.length === 1 ? '1 tool is passed on' : `${tools.length} tools are passed on`
  const gone = dropped.length === 0 ? '' : ` Gone: ${nameSome(dropped, 3)}.`
  const more = others.length === 0 ? '' : ` Not chosen: ${nameSome(others, 3)}.`
  return `The server was asked anew: ${passedOn} as they are now.${gone}${more}`
}
