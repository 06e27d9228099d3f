import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { withdrawInvitation } from '../../identity/invitations/withdraw.ts'
import { selectOpenInvitations } from '../../identity/invitation-store.ts'
import { changeRole } from '../../identity/members.ts'
import { dismissMember } from '../../identity/members/dismiss.ts'
import { type Member, selectMembers } from '../../identity/member-store.ts'
import { act, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'

type OpenInvitation = Awaited<ReturnType<typeof selectOpenInvitations>>[number]

const page = template<{
  members: (Member & { isYou: boolean })[]
  invitations: OpenInvitation[]
  /** You cannot leave, nor be made a member. */
  isLastOwner: boolean
}>('dashboard/settings/members-page')

export const membersPage = (deps: Deps) =>
  show({
    path: '/settings/members',
    query: none,
    show: async ({ workspace, person }) => {
      const members = await selectMembers(deps.db, workspace.id)
      const owners = members.filter(({ role }) => role === 'owner')
      return page('Members', {
        members: members.map((member) => ({ ...member, isYou: member.userId === person.userId })),
        invitations: await selectOpenInvitations(deps.db, workspace.id, deps.clock.now()),
        isLastOwner: owners.length === 1 && owners[0]?.userId === person.userId,
      })
    },
  })

const toMembers = (visit: Parameters<typeof pathTo>[0]) => pathTo(visit, '/settings/members')

export const changeRoleButton = act({
  path: '/settings/members/:id/role',
  form: z.object({ role: z.enum(['owner', 'member']) }),
  act: async (own, visit, { role }) => {
    requireOwner(visit)
    await changeRole(own)({ workspaceId: visit.workspace.id, userId: visit.id, role })
    return done(toMembers(visit), role === 'owner' ? 'They are an owner now.' : 'They are a member now.')
  },
  back: toMembers,
})

export const removeMemberButton = act({
  path: '/settings/members/:id/remove',
  form: none,
  act: async (own, visit) => {
    requireOwner(visit)
    await dismissMember(own)({ workspaceId: visit.workspace.id, userId: visit.id })
    return done(toMembers(visit), 'They are no member any more, and what acted in their name here has ended.')
  },
  back: toMembers,
})

export const leaveButton = act({
  path: '/settings/members/leave',
  form: none,
  act: async (own, visit) => {
    await dismissMember(own)({ workspaceId: visit.workspace.id, userId: visit.person.userId })
    return done('/', `You have left ${visit.workspace.name}.`)
  },
  back: toMembers,
})

export const withdrawButton = act({
  path: '/settings/invitations/:id/withdraw',
  form: none,
  act: async (own, visit) => {
    requireOwner(visit)
    await withdrawInvitation(own)({ workspaceId: visit.workspace.id, invitationId: visit.id })
    return done(toMembers(visit), 'The invitation was withdrawn: its link lets nobody in any more.')
  },
  back: toMembers,
})
