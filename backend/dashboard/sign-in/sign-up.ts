import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import type { BrowserAuth } from '../../sign-in/browser-auth.ts'
import { hasUsers } from '../../identity/user-store.ts'
import { signUp } from '../../onboarding/sign-up.ts'
import type { Render } from '../../views/render.ts'
import { countries } from '../countries.ts'
import { timeZones } from '../time-zones.ts'
import { redirectTo, template } from '../view.ts'
import { mountPublicForm } from './public-form.ts'

const signUpView = template<{ countries: typeof countries; timeZones: readonly string[] }>(
  'dashboard/sign-in/sign-up-page',
)

const FirstUser = z.object({
  name: z.string().max(200),
  email: z.string().max(254),
  password: z.string(),
  workspace_name: z.string().trim().min(1).max(200),
  country: z.string(),
  time_zone: z.string().max(64),
})

/** The way in for the very first user of an empty installation; closed for good once there is one. */
export function mountSignUp(
  pages: FastifyInstance,
  deps: Deps,
  parts: { render: Render; browserAuth: BrowserAuth; isSecure: boolean },
): void {
  mountPublicForm(pages, parts, {
    path: '/sign-up',
    form: FirstUser,
    show: async () =>
      (await hasUsers(deps.db))
        ? redirectTo('/sign-in')
        : signUpView('Set up Outdial', { countries, timeZones }),
    submit: async ({ request, reply, input }) => {
      const created = await signUp(deps)({
        name: input.name,
        email: input.email,
        password: input.password,
        workspaceName: input.workspace_name,
        country: input.country,
        timeZone: input.time_zone,
      })
      if (created === undefined) return redirectTo('/sign-in')
      await parts.browserAuth.begin(request, reply, created.userId)
      return redirectTo(`/w/${created.workspaceId}/overview`, 'Welcome to Outdial. Your workspace is ready.')
    },
  })
}
