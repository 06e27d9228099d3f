import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { createInvitation } from '../../identity/invitations.ts'
import { selectMembers } from '../../identity/member-store.ts'
import { createMemberResetLink } from '../../identity/password-resets.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { template } from '../view.ts'
import { requireOwner } from '../visit.ts'

const inviteMemberView = template<object>('dashboard/settings/invite-member-page')
const resetPasswordView = template<{ member: { name: string; email: string } }>(
  'dashboard/settings/reset-member-password-page',
)
/** A link that is shown one time, since only its hash is kept. */
const oneTimeLinkView = template<{
  heading: string
  lead: string
  link: string
  warning: string
  expiresAt: Date
}>('dashboard/settings/one-time-link-page')

const InvitationFields = z.object({ email: z.string().max(254), role: z.enum(['owner', 'member']) })

export const inviteMemberPage = formRoute({
  path: '/settings/members/invite',
  query: noInput,
  form: InvitationFields,
  show: async (context) => {
    requireOwner(context)
    return inviteMemberView('Invite somebody', {})
  },
  submit: async (tx, context, { email: enteredEmail, role }) => {
    requireOwner(context)
    const invitedBy = context.user.userId
    const { email, link, expiresAt } = await createInvitation(tx)({
      workspaceId: context.workspace.id,
      invitedBy,
      email: enteredEmail,
      role,
    })
    return oneTimeLinkView('The invitation', {
      heading: 'The invitation is ready',
      lead: `Send this link to ${email}. It is shown only now.`,
      link,
      warning: `Whoever opens it first becomes ${role === 'owner' ? 'an owner' : 'a member'} of ${context.workspace.name}: send it to nobody else.`,
      expiresAt,
    })
  },
})

export const resetMemberPasswordPage = (deps: Deps) =>
  formRoute({
    path: '/settings/members/:id/reset-password',
    query: noInput,
    form: noInput,
    show: async (context) => {
      requireOwner(context)
      const member = await findMember(deps, context.workspace.id, context.id)
      return resetPasswordView(`New password for ${member.name}`, { member })
    },
    submit: async (tx, context) => {
      requireOwner(context)
      const { name, email } = await findMember(deps, context.workspace.id, context.id)
      const ids = { workspaceId: context.workspace.id, userId: context.id, ownerId: context.user.userId }
      const { link, expiresAt } = await createMemberResetLink(tx)(ids)
      return oneTimeLinkView('The link', {
        heading: 'The link is ready',
        lead: `Send it to ${name} (${email}). It is shown only now.`,
        link,
        warning: 'Whoever opens it first can sign in as them: send it to nobody else.',
        expiresAt,
      })
    },
  })

async function findMember({ db }: Deps, workspaceId: number, userId: number) {
  const member = (await selectMembers(db, workspaceId)).find((one) => one.userId === userId)
  if (member === undefined) throw notFound('This user is not a member of this workspace.')
  return { name: member.name, email: member.email }
}
