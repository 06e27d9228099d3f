import { boundedText, trimmedText } from '@outdial/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { inTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { listWorkspaces } from '../../identity/members.ts'
import { hasUsers } from '../../identity/users.ts'
import { createOwnWorkspace, signUp } from '../../onboarding/onboarding.ts'
import { requireSession } from '../../sign-in/browser-auth.ts'
import { redirectTo, template } from '../page/define-page.ts'
import { countries, timeZones } from '../page/forms.ts'
import { maxPublicTextLength, mountPublicForm, type PublicFormParts } from './public-form.ts'

const newWorkspaceView = template<{
  email: string
  /** Number of the user's workspaces. */
  workspaces: number
  countries: typeof countries
  timeZones: readonly string[]
  country: string
  timeZone: string
}>('dashboard/sign-in/new-workspace-page')

const NewWorkspace = z.object({
  name: boundedText(200),
  country: boundedText(64),
  time_zone: boundedText(64),
})

const signInRedirect = redirectTo('/sign-in?next=%2Fworkspaces%2Fnew')

/** Mounts the page that creates a workspace. Users without a workspace are redirected to it. */
export function mountNewWorkspace(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'secretBox' | 'notify'>,
  parts: PublicFormParts,
): void {
  const show = async (request: FastifyRequest) => {
    const user = await parts.browserAuth.getUser(request)
    if (user === undefined) return signInRedirect
    const workspaces = await listWorkspaces(deps, user.userId)
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
    form: NewWorkspace,
    show,
    submit: async ({ request, input, formId }) => {
      const session = await parts.browserAuth.getSession(request)
      if (session === undefined) return signInRedirect
      const { name, country, time_zone: timeZone } = input
      const values = { name, country, timeZone, ownerId: session.user.userId, formId }
      const { id } = await inTransaction(deps, async (tx) => {
        await requireSession(tx, session)
        return createOwnWorkspace(tx, values)
      })
      return redirectTo(`/w/${id}/overview`, 'Workspace created.')
    },
  })
}

const signUpView = template<{ countries: typeof countries; timeZones: readonly string[] }>(
  'dashboard/sign-in/sign-up-page',
)

const FirstUser = z.object({
  name: boundedText(200),
  email: boundedText(254),
  password: boundedText(maxPublicTextLength),
  workspace_name: trimmedText(200).min(1),
  country: boundedText(64),
  time_zone: boundedText(64),
})

/** Mounts sign-up for the first user of an installation. With any user, it redirects to sign-in. */
export function mountSignUp(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'secretBox' | 'notify'>,
  parts: PublicFormParts,
): void {
  mountPublicForm(pages, parts, {
    form: FirstUser,
    show: async () =>
      (await hasUsers(deps))
        ? redirectTo('/sign-in')
        : signUpView('Set up Outdial', { countries, timeZones }),
    submit: async ({ request, reply, input }) => {
      const created = await signUp(deps, {
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
