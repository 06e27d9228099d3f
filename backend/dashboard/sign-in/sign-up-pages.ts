import { boundedText, trimmedText } from '@outdial/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { listWorkspaces } from '../../accounts/identity/members.ts'
import { hasUsers } from '../../accounts/identity/users.ts'
import { requireSession } from '../../accounts/sign-in/browser-auth.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { field, formMessage, pageForm, postForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { createOwnWorkspace, signUp } from '../../tools/onboarding/onboarding.ts'
import { definePublicView, redirectTo } from '../page/define-page.ts'
import { newUserFields } from './new-user-fields.ts'
import { maxPublicTextLength, mountPublicForm, type PublicFormParts } from './public-form.ts'
import { workspaceLocationFields } from './workspace-location-fields.ts'

interface NewWorkspaceData {
  email: string
  /** Number of the user's workspaces. */
  workspaces: number
  country: string
  timeZone: string
}

const newWorkspaceView = definePublicView(
  ({ form }, { email, workspaces, country, timeZone }: NewWorkspaceData) => html`
    <h1>New workspace</h1>
    ${
      workspaces === 0
        ? html`
          <p class="lead">You are not a member of any workspace yet.</p>
          <div class="empty">
            <p><strong>Does your team already use Outdial?</strong></p>
            <p>Ask a workspace owner to invite you under Settings → Members. Open the invitation link while you're signed in as ${email}.</p>
            <p><strong>Or create a workspace.</strong></p>
          </div>
        `
        : html`<p class="lead">Only members of a workspace can see its agents, numbers, contacts, and calls.</p>`
    }
    ${pageForm(
      form,
      { class: 'stack' },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'name',
          label: labels.workspace.name,
          required: true,
          maxlength: 200,
          autocomplete: 'organization',
        })}
        ${workspaceLocationFields({ form, country, timeZone })}
        <div class="actions"><button class="primary">Create workspace</button></div>
      `,
    )}
    ${
      workspaces === 0
        ? postForm(form, { action: '/sign-out' }, html`<button class="link">Sign out</button>`)
        : html`<p class="note"><a href="/">Back to your workspaces</a></p>`
    }
  `,
)

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

const signUpView = definePublicView(
  ({ form }) => html`
    <h1>Set up Outdial</h1>
    <p class="lead">Create your account and your first workspace. You'll be its owner.</p>
    ${pageForm(
      form,
      { class: 'stack' },
      html`
        ${formMessage(form)}
        ${newUserFields(form)}
        ${field({
          form,
          name: 'workspace_name',
          label: 'Workspace',
          required: true,
          autocomplete: 'organization',
          maxlength: 200,
          hint: 'Your company or team name. The workspace contains your agents, contacts, and calls.',
        })}
        ${workspaceLocationFields({ form, country: 'US', timeZone: 'America/New_York' })}
        <div class="actions"><button class="primary">Create account and workspace</button></div>
      `,
    )}
  `,
)

const FirstUser = z.object({
  name: boundedText(200),
  email: boundedText(254),
  password: boundedText(maxPublicTextLength),
  workspace_name: trimmedText(200).min(1),
  country: boundedText(64),
  time_zone: boundedText(64),
})

/** Mounts sign-up for the first user of an installation. Once a user exists, it redirects to sign-in. */
export function mountSignUp(
  pages: FastifyInstance,
  deps: Pick<Deps, 'db' | 'clock' | 'secretBox' | 'notify'>,
  parts: PublicFormParts,
): void {
  mountPublicForm(pages, parts, {
    form: FirstUser,
    show: async () => ((await hasUsers(deps)) ? redirectTo('/sign-in') : signUpView('Set up Outdial', {})),
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
