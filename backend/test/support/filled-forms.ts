import { createInvitation } from '../../accounts/identity/invitations.ts'
import { createMemberResetLink } from '../../accounts/identity/password-resets.ts'
import type { Deps } from '../../deps.ts'
import { csrfTokenOf } from './csrf.ts'
import type { SignedInUser } from './dashboard.ts'
import { newFlow, type TestApp } from './oauth.ts'

/** A form outside the dashboard with valid values, as a signed-in user's browser sends it. */
interface FilledForm {
  path: string
  fields: Record<string, string>
}

/** Begins an authorization, and fills in the consent page. */
export async function fillConsentForm(
  app: TestApp,
  user: SignedInUser,
  workspaceId: number,
): Promise<FilledForm> {
  const { page } = await user.browser.open((await newFlow(app)).startUrl)
  const fields = { user_id: String(user.userId), workspace_id: String(workspaceId) }
  return {
    path: `${new URL(page.url).pathname}/allow`,
    fields: { _csrf: csrfTokenOf(page.html), ...fields },
  }
}

/** Invites a user as an owner, and opens the link. */
export async function fillInvitation(
  deps: Deps,
  workspaceId: number,
  { inviterId, invitee }: { inviterId: number; invitee: SignedInUser },
): Promise<FilledForm> {
  const input = { email: 'invited@example.com', role: 'owner' } as const
  return openLink(invitee, await createInvitation(deps, workspaceId, inviterId, input))
}

/** Creates a link with which a member sets a new password, and opens it. */
export async function fillNewPassword(
  deps: Deps,
  workspaceId: number,
  { ownerId, user }: { ownerId: number; user: SignedInUser },
): Promise<FilledForm> {
  const { path, fields } = await openLink(
    user,
    await createMemberResetLink(deps, workspaceId, user.userId, ownerId),
  )
  return { path, fields: { ...fields, new_password: 'a new and long password' } }
}

async function openLink({ browser }: SignedInUser, { link }: { link: string }): Promise<FilledForm> {
  const { page } = await browser.open(link)
  return { path: new URL(link).pathname, fields: { _csrf: csrfTokenOf(page.html) } }
}
