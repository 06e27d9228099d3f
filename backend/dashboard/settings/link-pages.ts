import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { invite } from '../../identity/invitations.ts'
import { selectMembers } from '../../identity/member-store.ts'
import { makeMemberResetLink } from '../../identity/password-resets.ts'
import { form, none } from '../page/page-route.ts'
import { template } from '../view.ts'
import { requireOwner } from '../visit.ts'

const invitePage = template<object>('dashboard/settings/invite-member-page')
const resetPage = template<{ member: { name: string; email: string } }>('dashboard/settings/reset-member-password-page')
/** A link that is shown one time, since only its hash is kept. */
const linkPage = template<{ heading: string; lead: string; link: string; warning: string; expiresAt: Date }>(
  'dashboard/settings/one-time-link-page',
)

const Invitation = z.object({ email: z.string().max(254), role: z.enum(['owner', 'member']) })

export const inviteForm = form({
  path: '/settings/members/invite',
  query: none,
  form: Invitation,
  show: async (visit) => {
    requireOwner(visit)
    return invitePage('Invite somebody', {})
  },
  submit: async (own, visit, { email: given, role }) => {
    requireOwner(visit)
    const invitedBy = visit.person.userId
    const { email, link, expiresAt } = await invite(own)({
      workspaceId: visit.workspace.id,
      invitedBy,
      email: given,
      role,
    })
    return linkPage('The invitation', {
      heading: 'The invitation is ready',
      lead: `Send this link to ${email}. It is shown only now.`,
      link,
      warning: `Whoever opens it first becomes ${role === 'owner' ? 'an owner' : 'a member'} of ${visit.workspace.name}: send it to nobody else.`,
      expiresAt,
    })
  },
})

export const resetForm = (deps: Deps) =>
  form({
    path: '/settings/members/:id/reset-password',
    query: none,
    form: none,
    show: async (visit) => {
      requireOwner(visit)
      const member = await findMember(deps, visit.workspace.id, visit.id)
      return resetPage(`New password for ${member.name}`, { member })
    },
    submit: async (own, visit) => {
      requireOwner(visit)
      const { name, email } = await findMember(deps, visit.workspace.id, visit.id)
      const ids = { workspaceId: visit.workspace.id, userId: visit.id, ownerId: visit.person.userId }
      const { link, expiresAt } = await makeMemberResetLink(own)(ids)
      return linkPage('The link', {
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
