import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { ApiError } from '../../core/errors.ts'
import { editRemoteServer } from '../../tools/general/edit-remote-server.ts'
import { listRemoteServer } from '../../tools/general/list-remote-server.ts'
import { getTool } from '../../tools/get-tool.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { StringList } from '../fields.ts'

interface Choice {
  value: string
  label: string
  hint: string
}

interface ChooseData {
  tool: { id: number; name: string }
  /** Why its tools are not known now; null where they are. */
  error: string | null
  choices: Choice[]
  chosen: string[]
  /** Listed, but no agent could use them. */
  unusable: { name: string; issues: string }[]
}

const chooseToolsView = template<ChooseData>('dashboard/tools/choose-server-tools-page')

const ChosenToolsFields = z.object({ tools: StringList })

/** Which tools of a remote server agents may have: it is asked what it has. */
export const chooseServerToolsPage = (deps: Deps) =>
  formRoute({
    path: '/tools/:id/choose',
    query: noInput,
    form: ChosenToolsFields,
    isOnce: false,
    show: async ({ workspace, id: toolId }) => {
      const { name } = await getTool(deps)({ workspaceId: workspace.id, toolId })
      const listing = await listRemoteServer(deps)(workspace.id, toolId).catch(toListError)
      const { listed, chosen } = typeof listing === 'string' ? { listed: [], chosen: [] } : listing
      const usable = listed.filter(({ issues }) => issues.length === 0)
      return chooseToolsView(`Tools of ${name}`, {
        tool: { id: toolId, name },
        error: typeof listing === 'string' ? listing : null,
        choices: usable.map((tool) => ({
          value: tool.name,
          label: tool.name,
          hint: `${tool.readOnly ? 'Only looks, the server says. ' : ''}${tool.description}`,
        })),
        chosen,
        unusable: listed.flatMap(({ name, issues }) =>
          issues.length === 0 ? [] : [{ name, issues: issues.slice(0, 3).join(' ') }],
        ),
      })
    },
    submit: async (_, context, { tools }) => {
      await editRemoteServer(deps)(context.workspace.id, context.id, { tools })
      const count = tools.length === 1 ? '1 tool is' : `${tools.length} tools are`
      return redirectTo(
        pathTo(context, `/tools/${context.id}`),
        `${count} passed on. Assign the server to agents on their pages.`,
      )
    },
  })

function toListError(error: unknown): string {
  if (error instanceof ApiError && error.code === 'validation_failed') return error.message
  throw error
}
