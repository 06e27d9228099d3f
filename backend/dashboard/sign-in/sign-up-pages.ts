import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { createWorkspace } from '../../onboarding/create-workspace.ts'
import type { BrowserAuth } from '../../sign-in/browser-auth.ts'
import { selectWorkspacesOfUser } from '../../identity/user-store.ts'
import type { Render } from '../../views/render.ts'
import { countries } from '../countries.ts'
import { mountPublicForm } from './public-form.ts'
import { timeZones } from '../time-zones.ts'
import { redirectTo, template } from '../view.ts'

const newWorkspaceView = template<{
  email: string
  /** How many workspaces the person has. */
  workspaces: number
  countries: typeof countries
  timeZones: readonly string[]
  country: string
  timeZone: string
}>('dashboard/sign-in/new-workspace-page')

const NewWorkspace = z.object({
  name: z.string().max(200),
  country: z.string(),
  time_zone: z.string().max(64),
})

const signInRedirect = redirectTo('/sign-in?next=%2Fworkspaces%2Fnew')

/** One more workspace, and where somebody arrives who has none. */
export function mountNewWorkspace(
  pages: FastifyInstance,
  deps: Deps,
  parts: { render: Render; browserAuth: BrowserAuth; isSecure: boolean },
): void {
  const show = async (request: FastifyRequest) => {
    const user = await parts.browserAuth.getUser(request)
    if (user === undefined) return signInRedirect
    const workspaces = await selectWorkspacesOfUser(deps.db, user.userId)
    return newWorkspaceView('New workspace', {
      email: user.email,
      workspaces: workspaces.length,
      countries,
      timeZones,
      country: workspaces[0]?.country ?? 'US',
      timeZone: workspaces[0]?.timeZone ?? 'America/New_York',
    })
  }

  mountPublicForm(pages, parts, {
    path: '/workspaces/new',
    form: NewWorkspace,
    show,
    submit: async ({ request, input, formId }) => {
      const user = await parts.browserAuth.getUser(request)
      if (user === undefined) return signInRedirect
      const { name, country, time_zone: timeZone } = input
      const values = { name, country, timeZone, ownerId: user.userId, formId: formId }
      const { id } = await createWorkspace(deps)(values)
      return redirectTo(`/w/${id}/overview`, 'The workspace is ready.')
    },
  })
}
