import type { Deps } from '../../deps.ts'
import { formatNames } from '../../name-some.ts'
import { deleteTool } from '../../tools/delete-tool.ts'
import { type RefreshResult, refreshRemoteServer } from '../../tools/general/refresh-remote-server.ts'
import { setToolActive } from '../../tools/set-active.ts'
import { actionRoute, type DashboardRoute, noInput } from '../page/page-route.ts'
import { redirectTo } from '../view.ts'
import { pathTo, type PageContext } from '../visit.ts'

const toolPath = (context: PageContext) => pathTo(context, `/tools/${context.id}`)
const toolKey = (context: PageContext) => ({ workspaceId: context.workspace.id, toolId: context.id })

const switchAction = (verb: string, isActive: boolean, message: string): DashboardRoute =>
  actionRoute({
    path: `/tools/:id/${verb}`,
    form: noInput,
    run: async (tx, context) => {
      await setToolActive(tx)(toolKey(context), isActive)
      return redirectTo(toolPath(context), message)
    },
    back: toolPath,
  })

export const toolActions = (deps: Deps): DashboardRoute[] => [
  switchAction('switch-on', true, 'The tool is on: agents that have it can use it.'),
  switchAction(
    'switch-off',
    false,
    'The tool is off for all agents. They keep it, and what was configured for them.',
  ),
  actionRoute({
    path: '/tools/:id/delete',
    form: noInput,
    run: async (tx, context) => {
      await deleteTool(tx)(toolKey(context))
      return redirectTo(
        pathTo(context, '/tools'),
        'The tool is deleted. What it did stays in the records of calls.',
      )
    },
    back: toolPath,
  }),
  actionRoute({
    path: '/tools/:id/refresh',
    form: noInput,
    isOnce: false,
    run: async (_, context) => {
      const refreshed = await refreshRemoteServer(deps)(context.workspace.id, context.id)
      return redirectTo(toolPath(context), formatRefreshed(refreshed))
    },
    back: toolPath,
  }),
]

function formatRefreshed({ tools, dropped, others }: RefreshResult): string {
  const passedOn = tools.length === 1 ? '1 tool is passed on' : `${tools.length} tools are passed on`
  const gone = dropped.length === 0 ? '' : ` Gone: ${formatNames(dropped, 3)}.`
  const more = others.length === 0 ? '' : ` Not chosen: ${formatNames(others, 3)}.`
  return `The server was asked anew: ${passedOn} as they are now.${gone}${more}`
}
