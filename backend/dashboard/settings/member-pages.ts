import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { withdrawInvitation } from '../../identity/invitations/withdraw.ts'
import { selectOpenInvitations } from '../../identity/invitation-store.ts'
import { changeRole } from '../../identity/members.ts'
import { removeMember } from '../../identity/members/dismiss.ts'
import { type Member, selectMembers } from '../../identity/member-store.ts'
import { actionRoute, noInput, pageRoute } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'

type OpenInvitation = Awaited<ReturnType<typeof selectOpenInvitations>>[number]

const membersView = template<{
  members: (Member & { isYou: boolean })[]
  invitations: OpenInvitation[]
  /** You cannot leave, nor be made a member. */
  isLastOwner: boolean
}>('dashboard/settings/members-page')

export const membersPage = (deps: Deps) =>
  pageRoute({
    path: '/settings/members',
    query: noInput,
    show: async ({ workspace, user }) => {
      const members = await selectMembers(deps.db, workspace.id)
      const owners = members.filter(({ role }) => role === 'owner')
      return membersView('Members', {
        members: members.map((member) => ({ ...member, isYou: member.userId === user.userId })),
        invitations: await selectOpenInvitations(deps.db, workspace.id, deps.clock.now()),
        isLastOwner: owners.length === 1 && owners[0]?.userId === user.userId,
      })
    },
  })

const membersPath = (context: Parameters<typeof pathTo>[0]) => pathTo(context, '/settings/members')

export const changeRoleAction = actionRoute({
  path: '/settings/members/:id/role',
  form: z.object({ role: z.enum(['owner', 'member']) }),
  run: async (tx, context, { role }) => {
    requireOwner(context)
    await changeRole(tx)({ workspaceId: context.workspace.id, userId: context.id, role })
    return redirectTo(
      membersPath(context),
      role === 'owner' ? 'They are an owner now.' : 'They are a member now.',
    )
  },
  back: membersPath,
})

export const removeMemberAction = actionRoute({
  path: '/settings/members/:id/remove',
  form: noInput,
  run: async (tx, context) => {
    requireOwner(context)
    await removeMember(tx)({ workspaceId: context.workspace.id, userId: context.id })
    return redirectTo(
      membersPath(context),
      'They are no member any more, and what acted in their name here has ended.',
    )
  },
  back: membersPath,
})

export const leaveWorkspaceAction = actionRoute({
  path: '/settings/members/leave',
  form: noInput,
  run: async (tx, context) => {
    await removeMember(tx)({ workspaceId: context.workspace.id, userId: context.user.userId })
    return redirectTo('/', `You have left ${context.workspace.name}.`)
  },
  back: membersPath,
})

export const withdrawInvitationAction = actionRoute({
  path: '/settings/invitations/:id/withdraw',
  form: noInput,
  run: async (tx, context) => {
    requireOwner(context)
    await withdrawInvitation(tx)({ workspaceId: context.workspace.id, invitationId: context.id })
    return redirectTo(membersPath(context), 'The invitation was withdrawn: its link lets nobody in any more.')
  },
  back: membersPath,
})
